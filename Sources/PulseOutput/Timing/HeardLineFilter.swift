import HostTime

/// A heard position that moves evenly: `position` at `time`, `rate` frames in a second of host time.
struct HeardLine: Hashable, Sendable {
  var position: Double
  var time: HostTime
  var rate: Double

  /// The position at `moment`.
  func position(at moment: HostTime) -> Double { position + moment.seconds(since: time) * rate }

  /// When the line reaches `place`.
  func time(ofPosition place: Double) -> HostTime { time.advanced(bySeconds: (place - position) / rate) }
}

/// Draws the line through the server's reports.
///
/// Servers differ. PulseAudio's reports lie on a straight line to 0.05 ms: each is followed as it comes. PipeWire's
/// move in steps of the graph's quantum and scatter evenly over 21 ms (1024 frames at 48 kHz): the line then goes
/// through their mean, and bends by 0.5 % at most. Which it is shows in the first few milliseconds.
struct HeardLineFilter: Sendable {
  /// What a report did to the line.
  struct Update {
    var line: HeardLine
    /// The line does not continue the one before.
    var jumped = false
    /// The next report is wanted that many seconds from now, sooner than libpulse would ask for it.
    var nextReport: Double?
  }

  private enum Phase {
    /// One report: nothing is known about the scatter. `tries`: how many disagreed since.
    case starting(tries: Int)
    /// Reports lie on the line. `suspect`: how far an earlier one lay off, if it did, and when.
    case quiet(suspect: (error: Double, time: HostTime)?)
    /// Reports scatter; enough of them are being collected to see how far.
    case surveying
    /// Reports scatter. `strays`: how many in a row lay far outside.
    case scattering(strays: Int)
  }

  /// Closer than this, in seconds, two reports say the same.
  private static let agreement = 0.001
  /// Further than this a single report is an error or a jump.
  private static let suspicion = 0.002
  /// Below this a quiet line is bent, above it is moved. A step of this size is not seen at 1/100 s.
  private static let bendable = 0.0002
  /// libpulse's longest interval between two reports of its own: a bend must last that long without overshooting.
  private static let interval = 1.5
  /// Long enough that PipeWire's reports, which stand still within a quantum, show that they do.
  private static let confirmation = 0.004
  /// How often two of the first reports may disagree before that is taken for scatter.
  private static let startTries = 3
  /// 16 reports every 3 ms cover two quanta of 1024 frames, one of 2048.
  private static let surveyInterval = 0.003
  private static let surveyCount = 16
  /// About 70 s of libpulse's own reports: the mean of 48 that scatter over 21 ms is good to 0.9 ms.
  private static let windowCount = 48

  private let nominalRate: Double
  private var phase = Phase.starting(tries: 0)
  /// Frames per second as they were seen so far.
  private var baseRate: Double
  private var isKnownToScatter = false
  private var lastTime = HostTime(nanoseconds: .min)
  private var window: [(time: HostTime, position: Double)] = []

  init(sampleRate: Double) {
    nominalRate = sampleRate
    baseRate = sampleRate
    window.reserveCapacity(Self.windowCount)
  }

  /// Forgets the line; of the device, unless it is another one, it keeps the rate and whether its reports scatter.
  mutating func reset(isSameDevice: Bool = true) {
    phase = .starting(tries: 0)
    if !isSameDevice { isKnownToScatter = false }
    window.removeAll(keepingCapacity: true)
  }

  /// The line from its first report.
  mutating func begin(_ report: TimingReport) -> Update {
    reset()
    let update = restart(at: report)
    return isKnownToScatter ? survey(update.line, report, jumped: true) : update
  }

  private mutating func restart(at report: TimingReport) -> Update {
    lastTime = report.hostTime
    let line = HeardLine(position: report.heardPosition, time: report.hostTime, rate: baseRate)
    return Update(line: line, jumped: true, nextReport: Self.confirmation)
  }

  /// The line after one more report.
  mutating func update(_ line: HeardLine, with report: TimingReport) -> Update {
    let error = (report.heardPosition - line.position(at: report.hostTime)) / nominalRate
    let elapsed = report.hostTime.seconds(since: lastTime)
    // libpulse hands the same information out again until the next arrives.
    guard elapsed > 0 else { return Update(line: line) }
    switch phase {
    case .starting(let tries):
      // PipeWire's reports agree as well while they stand still: the second one has to be some way off.
      guard elapsed > Self.confirmation / 2 else { return Update(line: line, nextReport: Self.confirmation) }
      if abs(error) <= Self.agreement {
        phase = .quiet(suspect: nil)
        return follow(line, report, error: error, elapsed: elapsed)
      }
      // A report that moved, but disagrees: one of the two was stamped late, and it is the one further behind.
      let standsStill = report.heardPosition == line.position
      if standsStill || tries >= Self.startTries { return survey(line, report) }
      let update = error > 0 ? restart(at: report) : Update(line: line, nextReport: Self.confirmation)
      phase = .starting(tries: tries + 1)
      return update
    case .quiet(let suspect):
      // A busy server stamps a report late, never early: one that lies behind the line needs a second one.
      let isLate = error < -Self.bendable && suspect == nil
      if abs(error) <= Self.suspicion, !isLate {
        phase = .quiet(suspect: nil)
        return follow(line, report, error: error, elapsed: elapsed)
      }
      guard let suspect else {
        phase = .quiet(suspect: (error, report.hostTime))
        return Update(line: line, nextReport: Self.confirmation)
      }
      guard report.hostTime.seconds(since: suspect.time) > Self.confirmation / 2 else {
        return Update(line: line, nextReport: Self.confirmation)
      }
      if abs(suspect.error - error) > Self.agreement { return survey(line, report) }
      phase = .quiet(suspect: nil)
      return restart(at: report)
    case .surveying:
      return survey(line, report)
    case .scattering(let strays):
      return average(line, report, strays: strays, elapsed: elapsed)
    }
  }

  // MARK: Quiet

  private mutating func follow(
    _ line: HeardLine, _ report: TimingReport, error: Double, elapsed: Double
  ) -> Update {
    lastTime = report.hostTime
    // What is left after an interval is drift: crystals differ by some 50 ppm.
    if elapsed > 0.5 { learn(error / elapsed * 0.2) }
    guard abs(error) < Self.bendable else {
      return Update(line: HeardLine(position: report.heardPosition, time: report.hostTime, rate: baseRate))
    }
    return Update(line: bent(line, at: report.hostTime, by: error, over: Self.interval))
  }

  /// Moves the base rate by that part of the nominal one, within ±0.1 %.
  private mutating func learn(_ difference: Double) {
    let limit = nominalRate * 0.001
    baseRate = min(max(baseRate + difference * nominalRate, nominalRate - limit), nominalRate + limit)
  }

  /// The line without a step, on its way to lose `error` seconds in `duration` seconds.
  private func bent(_ line: HeardLine, at time: HostTime, by error: Double, over duration: Double)
    -> HeardLine
  {
    let bend = min(max(error / duration, -0.005), 0.005)
    return HeardLine(position: line.position(at: time), time: time, rate: baseRate + bend * nominalRate)
  }

  // MARK: Scattering

  private mutating func survey(_ line: HeardLine, _ report: TimingReport, jumped: Bool = false) -> Update {
    if case .surveying = phase {} else { window.removeAll(keepingCapacity: true) }
    isKnownToScatter = true
    phase = .surveying
    lastTime = report.hostTime
    window.append((report.hostTime, report.heardPosition))
    guard window.count >= Self.surveyCount else {
      return Update(line: line, jumped: jumped, nextReport: Self.surveyInterval)
    }
    phase = .scattering(strays: 0)
    let straight = HeardLine(
      position: line.position(at: report.hostTime), time: report.hostTime, rate: baseRate)
    let position = straight.position + estimate(against: straight).error * nominalRate
    return Update(line: HeardLine(position: position, time: report.hostTime, rate: baseRate), jumped: true)
  }

  private mutating func average(
    _ line: HeardLine, _ report: TimingReport, strays: Int, elapsed: Double
  ) -> Update {
    let straight = HeardLine(
      position: line.position(at: report.hostTime), time: report.hostTime, rate: baseRate)
    let known = estimate(against: straight)
    let offset = (report.heardPosition - straight.position) / nominalRate
    if abs(offset - known.mean) > 3 * known.halfWidth + 0.005 {
      // One late thread is no news; three reports in a row are.
      if strays >= 2 { return survey(line, report) }
      phase = .scattering(strays: strays + 1)
      return Update(line: line, nextReport: Self.surveyInterval)
    }
    phase = .scattering(strays: 0)
    lastTime = report.hostTime
    if window.count >= Self.windowCount { window.removeFirst() }
    window.append((report.hostTime, report.heardPosition))
    let error = estimate(against: straight).error
    if elapsed > 0.5 { learn(error / elapsed * 0.005) }
    return Update(line: bent(line, at: report.hostTime, by: error, over: Self.interval * 2))
  }

  /// Where the reports in the window lie, in seconds from a line: their mean, half the width of an even scatter, and
  /// their lower edge. The edge is the truth: within a quantum the read index stands where its end will be heard.
  private func estimate(against line: HeardLine) -> (mean: Double, halfWidth: Double, error: Double) {
    let offsets = window.map { ($0.position - line.position(at: $0.time)) / nominalRate }.sorted()
    // An even scatter lies within its interquartile range of its median; what lies far outside was stamped late.
    let median = offsets[offsets.count / 2]
    let range = offsets[offsets.count * 3 / 4] - offsets[offsets.count / 4]
    let limit = range * 1.5 + Self.agreement / 2
    var count = 0.0
    var sum = 0.0
    var squares = 0.0
    for offset in offsets where abs(offset - median) <= limit {
      count += 1
      sum += offset
      squares += offset * offset
    }
    let mean = sum / count
    let halfWidth = (3 * max(0, squares / count - mean * mean)).squareRoot()
    return (mean, halfWidth, mean - halfWidth)
  }
}
