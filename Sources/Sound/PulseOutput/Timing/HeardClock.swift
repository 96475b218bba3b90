import AudioCore
import Clocks

/// The server's timing information about a stream at one time.
struct TimingReport: Hashable, Sendable {
  var hostTime: HostTime
  /// The position, in frames, up to which the server has taken the stream's queue.
  var readPosition: Double
  /// The latency from `readPosition` to the listener, in frames.
  var sinkDelay: Double
  /// Whether the server was taking frames from the queue.
  var isPlaying: Bool

  var heardPosition: Double { readPosition - sinkDelay }
}

/// The clock of the heard position, derived from the server's reports. During playback the position is a
/// linear function of time, otherwise a constant.
struct HeardClock: Sendable {
  private enum Motion {
    /// Stopped, until a report shows movement.
    case still(position: Double)
    case moving(HeardLine)
  }

  private let sampleRate: Double
  /// The part of each report's `sinkDelay` that lies behind the sink, in frames.
  private let delayBehindSink: Double
  private(set) var positions = StreamPositions()
  private var motion = Motion.still(position: 0)
  private var filter: HeardLineFilter
  /// Whether sound may play: started, not suspended, no flush pending.
  private var mayMove = false
  /// The minimum heard frame, needed because corking a rewindable sink may move the server's read index back.
  private var floor: Double = 0
  /// Whether the server's answer to a drain is pending.
  private var isEndPending = false
  /// The longest `sinkDelay` reported during playback since the last change of the sink, in frames.
  private var longestSinkDelay: Double = 0

  /// Creates a stopped clock. `delayBehindSink`: see `PulseConfiguration`, in seconds.
  init(sampleRate: Int, delayBehindSink: Double = 0) {
    self.sampleRate = Double(sampleRate)
    self.delayBehindSink = delayBehindSink * Double(sampleRate)
    filter = HeardLineFilter(sampleRate: Double(sampleRate))
  }

  func timing(at now: HostTime) -> OutputTiming {
    let rendered = positions.renderedFrames
    func still(at position: Double) -> OutputTiming {
      let frame = max(floor, positions.frame(at: position))
      return OutputTiming(heardFrame: frame, hostTime: now, frameRate: 0, renderedFrames: rendered)
    }
    switch motion {
    case .still(let position): return still(at: position)
    case .moving(let line):
      let position = line.position(at: now)
      if position >= lastPosition { return still(at: lastPosition) }
      // Before this stream's first frame is heard, the timing states that frame and the later time at which
      // it will be heard.
      let place = max(position, Double(positions.basePosition), positions.position(ofFrame: floor))
      let time = place > position ? line.time(ofPosition: place) : now
      return OutputTiming(
        heardFrame: positions.frame(at: place), hostTime: time, frameRate: line.rate,
        renderedFrames: rendered, replacementLead: replacementLead)
    }
  }

  // MARK: Stream events

  /// Records that `count` frames were sent at `now`: the next ones, or replacements from `frame` on.
  mutating func rendered(_ count: Int, from frame: Int64? = nil, now: HostTime) {
    // After an underrun the line no longer predicts when new frames are heard; only the server's next report
    // does.
    if case .moving(let line) = motion, line.position(at: now) >= Double(positions.endPosition) {
      stand(at: now)
    }
    isEndPending = false
    positions.append(count, from: frame)
  }

  /// Records that all frames were sent and a drain is pending. Until the server answers the drain, the last
  /// frame counts as unheard. A starved server plays it later than the line predicts, and a stop in between
  /// would lose it.
  mutating func awaitEnd() { isEndPending = true }

  /// Records the end of the drain: its answer or its timeout.
  mutating func reachEnd() {
    isEndPending = false
    // A remainder below the start threshold (29 ms on a null sink) may play between reports, unnoticed.
    guard mayMove, case .still = motion else { return }
    motion = .still(position: Double(positions.endPosition))
    raiseFloor(to: Double(positions.renderedFrames))
  }

  /// Permits movement; a report starts it.
  mutating func release() {
    mayMove = true
    filter.reset()
  }

  mutating func hold(at now: HostTime) {
    stand(at: now)
    mayMove = false
  }

  /// Raises the stopped position to the read index, where playback will resume. Returns whether the position
  /// changes; false while movement is permitted.
  mutating func settle(readPosition: Double) -> Bool {
    guard !mayMove, case .still(let position) = motion, readPosition > position else { return false }
    motion = .still(position: readPosition)
    raiseFloor(to: positions.frame(at: readPosition))
    return true
  }

  /// Records that the server discarded all frames after `position`. Returns the first discarded frame.
  mutating func flush(at position: Int64) -> Int64 {
    isEndPending = false
    let dropped = positions.flush(at: position)
    motion = .still(position: Double(position))
    raiseFloor(to: Double(positions.renderedFrames))
    return dropped
  }

  /// Restarts the fit of the line, because the sink changed. The old line applies until the next reports
  /// confirm or replace it.
  mutating func distrust() {
    filter.reset(isSameDevice: false)
    longestSinkDelay = 0
  }

  /// Updates the line with a report.
  ///
  /// - Returns: whether the line began or jumped, and the seconds until the next report if one is needed
  ///   sooner than at the regular interval.
  mutating func take(_ report: TimingReport, now: HostTime) -> (changed: Bool, nextReport: Double?) {
    guard mayMove, report.isPlaying else { return (false, nil) }
    let update: HeardLineFilter.Update
    switch motion {
    case .still: update = filter.begin(report)
    case .moving(let line): update = filter.update(line, with: report)
    }
    raiseFloor(to: timing(at: now).heardFrame)
    longestSinkDelay = max(longestSinkDelay, report.sinkDelay)
    motion = .moving(update.line)
    return (update.jumped, update.nextReport)
  }

  /// Whether the heard position is moving, according to the reports so far.
  var isMoving: Bool { if case .moving = motion { true } else { false } }

  /// Returns whether another report can be useful, because some frames are still unheard.
  func expectsReports(after report: TimingReport, now: HostTime) -> Bool {
    let end = Double(positions.endPosition)
    return mayMove && (position(at: now) < end || report.readPosition < end)
  }

  // MARK: Helpers

  /// The number of frames from the heard one to the first that is still replaceable in the server's queue. A
  /// sink takes frames in blocks (50 ms on a null sink, a quantum of 21 ms on PipeWire), so it may hold up to
  /// the longest delay seen. A sink that takes more than 50 ms at a time is a device with a long buffer,
  /// which PulseAudio can rewind. What lies behind the sink cannot be rewound. Another 20 ms are added for the source to
  /// render.
  private var replacementLead: Double {
    let sinkDelay = max(0, longestSinkDelay - delayBehindSink)
    return delayBehindSink + min(sinkDelay, 0.05 * sampleRate) + 0.02 * sampleRate
  }

  /// The last position that the line may reach without a report.
  private var lastPosition: Double {
    let end = Double(positions.endPosition)
    return isEndPending ? max(Double(positions.basePosition), end - 1) : end
  }

  private func position(at now: HostTime) -> Double {
    switch motion {
    case .still(let position): position
    case .moving(let line): line.position(at: now)
    }
  }

  private mutating func stand(at now: HostTime) {
    raiseFloor(to: timing(at: now).heardFrame)
    motion = .still(position: min(position(at: now), lastPosition))
  }

  private mutating func raiseFloor(to frame: Double) { floor = max(floor, frame) }
}
