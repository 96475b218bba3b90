import Clocks

/// A uniformly moving heard position: `position` at `time`, `rate` in frames per second of host time.
struct HeardLine: Hashable, Sendable {
  var position: Double
  var time: HostTime
  var rate: Double

  func position(at moment: HostTime) -> Double { position + moment.seconds(since: time) * rate }

  func time(ofPosition place: Double) -> HostTime { time.advanced(bySeconds: (place - position) / rate) }

  /// Returns the line that continues this one from `moment` on with another rate.
  func bent(at moment: HostTime, rate: Double) -> HeardLine {
    HeardLine(position: position(at: moment), time: moment, rate: rate)
  }
}

/// Fits the line of the heard position to the server's reports.
///
/// Servers differ. PulseAudio's reports lie on a straight line within 0.05 ms, so each one is followed.
/// PipeWire's reports move in steps of the graph's quantum and scatter evenly over 21 ms (1024 frames at 48
/// kHz). The line then goes through the lower edge of the scatter, and its rate changes by at most 0.5 %. The
/// first few milliseconds show which kind of server it is.
struct HeardLineFilter: Sendable {
  struct Update {
    var line: HeardLine
    /// Whether the line is discontinuous with the previous one.
    var jumped = false
    /// The seconds until the next report if one is needed sooner than at the regular interval; otherwise nil.
    var nextReport: Double?
  }

  private enum Phase {
    /// A single report: the scatter is unknown. `tries`: the number of later reports that disagreed.
    case starting(tries: Int)
    /// Reports lie on the line. `suspect`: the error and time of an outlier, if any.
    case quiet(suspect: (error: Double, time: HostTime)?)
    /// Reports scatter; enough of them are being collected to measure the width.
    case surveying
    /// Reports scatter. `strays`: the number of consecutive outliers.
    case scattering(strays: Int)
  }

  /// The difference in seconds below which two reports agree.
  private static let agreement = 0.001
  /// The error in seconds above which a single report is an outlier or a jump.
  private static let suspicion = 0.002
  /// The error in seconds below which a quiet line is bent and not moved. A step of this size is invisible
  /// where times are shown in 1/100 s.
  private static let bendable = 0.0002
  /// The longest regular interval between reports, in seconds (`PulseStream.beginTiming`). A bent line must not
  /// overshoot before the next report.
  private static let interval = 1.5
  /// The seconds until a confirming report. This interval reveals PipeWire's constant position within a
  /// quantum.
  private static let confirmation = 0.004
  /// The maximum number of later reports that may disagree with the first one because a thread was late. If
  /// more disagree, the server's reports scatter.
  private static let startTries = 3
  /// The survey's interval in seconds and count: 16 reports, 3 ms apart, cover 1024 frames twice or 2048
  /// once.
  private static let surveyInterval = 0.003
  private static let surveyCount = 16
  /// The number of reports averaged, about 70 s. The mean of 48 reports that scatter over 21 ms is accurate
  /// to 0.9 ms.
  private static let windowCount = 48

  private let nominalRate: Double
  private var phase = Phase.starting(tries: 0)
  private var baseRate: Double
  private var isKnownToScatter = false
  private var lastTime = HostTime(nanoseconds: .min)
  private var window: [(time: HostTime, position: Double)] = []

  init(sampleRate: Double) {
    nominalRate = sampleRate
    baseRate = sampleRate
    window.reserveCapacity(Self.windowCount)
  }

  /// Restarts the fit with the next report. For another device, the drift and whether reports scatter are
  /// forgotten.
  mutating func reset(isSameDevice: Bool = true) {
    phase = .starting(tries: 0)
    if !isSameDevice { (isKnownToScatter, baseRate) = (false, nominalRate) }
    window.removeAll(keepingCapacity: true)
  }

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

  mutating func update(_ line: HeardLine, with report: TimingReport) -> Update {
    let error = (report.heardPosition - line.position(at: report.hostTime)) / nominalRate
    let elapsed = report.hostTime.seconds(since: lastTime)
    // libpulse returns the same information until the next arrives.
    guard elapsed > 0 else { return Update(line: line) }
    switch phase {
    case .starting(let tries):
      // PipeWire's reports also agree within a quantum, so the second one must be some time later.
      guard elapsed > Self.confirmation / 2 else { return Update(line: line, nextReport: Self.confirmation) }
      if abs(error) <= Self.agreement {
        phase = .quiet(suspect: nil)
        return follow(line, report, error: error, elapsed: elapsed)
      }
      // Two moving reports disagree, because the server was late with the one whose position is lower.
      let standsStill = report.heardPosition == line.position
      if standsStill || tries >= Self.startTries { return survey(line, report) }
      let update = error > 0 ? restart(at: report) : Update(line: line, nextReport: Self.confirmation)
      phase = .starting(tries: tries + 1)
      return update
    case .quiet(let suspect):
      // A busy server stamps reports late, never early, so a second report must confirm one below the line.
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
    case .surveying: return survey(line, report)
    case .scattering(let strays): return average(line, report, strays: strays, elapsed: elapsed)
    }
  }

  // MARK: Quiet

  private mutating func follow(
    _ line: HeardLine, _ report: TimingReport, error: Double, elapsed: Double
  ) -> Update {
    lastTime = report.hostTime
    // The error left after an interval is drift, because crystals differ by about 50 ppm.
    if elapsed > 0.5 { learn(error / elapsed * 0.2) }
    guard abs(error) < Self.bendable else {
      return Update(line: HeardLine(position: report.heardPosition, time: report.hostTime, rate: baseRate))
    }
    return Update(line: bent(line, at: report.hostTime, by: error, over: Self.interval))
  }

  /// Adjusts the base rate by a fraction of the nominal rate, within ±0.1 %.
  private mutating func learn(_ difference: Double) {
    let limit = nominalRate * 0.001
    baseRate = min(max(baseRate + difference * nominalRate, nominalRate - limit), nominalRate + limit)
  }

  /// Returns the line that continues `line` at `time` and corrects `error` seconds in `duration` seconds, or
  /// later, because its rate changes by at most 0.5 %.
  private func bent(_ line: HeardLine, at time: HostTime, by error: Double, over duration: Double)
    -> HeardLine
  {
    line.bent(at: time, rate: baseRate + min(max(error / duration, -0.005), 0.005) * nominalRate)
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
    let straight = line.bent(at: report.hostTime, rate: baseRate)
    let position = straight.position + estimate(against: straight).error * nominalRate
    return Update(line: HeardLine(position: position, time: report.hostTime, rate: baseRate), jumped: true)
  }

  private mutating func average(
    _ line: HeardLine, _ report: TimingReport, strays: Int, elapsed: Double
  ) -> Update {
    let straight = line.bent(at: report.hostTime, rate: baseRate)
    let known = estimate(against: straight)
    let offset = (report.heardPosition - straight.position) / nominalRate
    if abs(offset - known.mean) > 3 * known.halfWidth + 0.005 {
      // A single late thread is ignored; three outliers in a row start a new survey.
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

  /// Returns the mean, half width and lower edge of the windowed reports' offsets from a line, in seconds.
  /// The lower edge is the true position, because within a quantum the read index stays at the quantum's end.
  private func estimate(against line: HeardLine) -> (mean: Double, halfWidth: Double, error: Double) {
    let offsets = window.map { ($0.position - line.position(at: $0.time)) / nominalRate }.sorted()
    // Evenly scattered offsets differ from their median by at most their interquartile range. Reports with
    // offsets far outside were late.
    let median = offsets[offsets.count / 2]
    let range = offsets[offsets.count * 3 / 4] - offsets[offsets.count / 4]
    let limit = range * 1.5 + Self.agreement / 2
    let inner = offsets.filter { abs($0 - median) <= limit }
    let count = Double(inner.count)
    let mean = inner.reduce(0, +) / count
    let squares = inner.reduce(0) { $0 + $1 * $1 }
    let halfWidth = (3 * max(0, squares / count - mean * mean)).squareRoot()
    return (mean, halfWidth, mean - halfWidth)
  }
}
