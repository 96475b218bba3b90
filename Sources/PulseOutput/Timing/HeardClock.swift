import AudioCore
import HostTime

/// What the server said about a stream at one moment.
struct TimingReport: Hashable, Sendable {
  /// When that was true, on the host clock.
  var hostTime: HostTime
  /// The position up to which the server has taken the stream's queue.
  var readPosition: Double
  /// Frames between there and the listener.
  var sinkDelay: Double
  /// Whether the server was taking frames from the queue.
  var isPlaying: Bool

  /// The position that left the device.
  var heardPosition: Double { readPosition - sinkDelay }
}

/// Computes what is heard from the server's reports: a straight line on the host clock while sound flows, a fixed
/// place while it does not. A value; the stream keeps it under a lock.
struct HeardClock: Sendable {
  private enum Motion {
    /// Nothing moves, until a report says that it does again.
    case still(position: Double)
    /// The heard position moves on a line.
    case moving(HeardLine)
  }

  private let sampleRate: Double
  private(set) var positions = StreamPositions()
  private var motion = Motion.still(position: 0)
  private var filter: HeardLineFilter
  /// Whether sound should flow: started, not suspended, not being flushed.
  private var mayMove = false
  /// The heard frame never falls below this: the server may set its read index back (corking a rewinding sink).
  private var floor: Double = 0
  /// The server was asked to say when everything was heard, and has not said so.
  private var isEndPending = false
  /// The most frames that the sink was seen to hold.
  private var longestSinkDelay: Double = 0

  init(sampleRate: Int) {
    self.sampleRate = Double(sampleRate)
    filter = HeardLineFilter(sampleRate: Double(sampleRate))
  }

  /// What is heard at `now`.
  func timing(at now: HostTime) -> OutputTiming {
    let rendered = positions.renderedFrames
    switch motion {
    case .still(let position):
      return OutputTiming(
        heardFrame: max(floor, positions.frame(at: position)), hostTime: now, frameRate: 0,
        renderedFrames: rendered
      )
    case .moving(let line):
      let position = line.position(at: now)
      if position >= lastPosition {
        return OutputTiming(
          heardFrame: max(floor, positions.frame(at: lastPosition)), hostTime: now, frameRate: 0,
          renderedFrames: rendered)
      }
      // Where nothing of ours sounds yet (before the first frame, below the floor), the moment at which it will.
      let place = max(position, Double(positions.basePosition), positions.position(ofFrame: floor))
      let time = place > position ? line.time(ofPosition: place) : now
      return OutputTiming(
        heardFrame: positions.frame(at: place), hostTime: time, frameRate: line.rate,
        renderedFrames: rendered,
        replacementLead: replacementLead)
    }
  }

  // MARK: What happens to the stream

  /// `count` frames were sent at `now`: the next ones, or those from `frame` on in the place of some sent before.
  mutating func rendered(_ count: Int, from frame: Int64? = nil, now: HostTime) {
    // Starved: what comes now sounds when the server says so, not where the line would have it.
    if case .moving(let line) = motion, line.position(at: now) >= Double(positions.endPosition) {
      stand(at: now)
    }
    isEndPending = false
    positions.append(count, from: frame)
  }

  /// Everything was rendered and the server is to say when it was heard. Until it does the last frame counts as not
  /// heard: a server that was starved itself plays it later than the line has it, and who stops then would lose it.
  mutating func awaitEnd() { isEndPending = true }

  /// The server has said so, or nobody waits any longer.
  mutating func reachEnd() {
    isEndPending = false
    // A rest below the server's start threshold (29 ms on a null sink) may sound between two reports, so that none said
    // that it moved.
    guard mayMove, case .still = motion else { return }
    motion = .still(position: Double(positions.endPosition))
    raiseFloor(to: Double(positions.renderedFrames))
  }

  /// Sound may flow from now on; a report says when it does.
  mutating func release() {
    mayMove = true
    filter.reset()
  }

  /// Sound stands from `now` on.
  mutating func hold(at now: HostTime) {
    stand(at: now)
    mayMove = false
  }

  /// The server's read index while sound stands: the frame with which it will go on. True if that moves the place.
  mutating func settle(readPosition: Double) -> Bool {
    guard !mayMove, case .still(let position) = motion, readPosition > position else { return false }
    motion = .still(position: readPosition)
    raiseFloor(to: positions.frame(at: readPosition))
    return true
  }

  /// The server threw away what lay behind `position`. Returns the first frame thrown away.
  mutating func flush(at position: Int64) -> Int64 {
    isEndPending = false
    let dropped = positions.flush(at: position)
    motion = .still(position: Double(position))
    raiseFloor(to: Double(positions.renderedFrames))
    return dropped
  }

  /// The line cannot be trusted any more (another sink): the next report makes a new one.
  mutating func distrust() {
    filter.reset(isSameDevice: false)
    longestSinkDelay = 0
  }

  /// Takes a report in.
  ///
  /// - Returns: whether the line really changed (it began, or jumped), and in how many seconds the next report is
  ///   wanted, if sooner than libpulse would ask for it.
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

  /// Whether the line moves, as far as is known.
  var isMoving: Bool { if case .moving = motion { true } else { false } }

  /// Whether another report can bring news: something is left to be heard.
  func expectsReports(after report: TimingReport, now: HostTime) -> Bool {
    let end = Double(positions.endPosition)
    return mayMove && (position(at: now) < end || report.readPosition < end)
  }

  // MARK: Parts

  /// Frames behind the heard one that the server's queue may still hold. A sink takes them in blocks (50 ms on a null sink,
  /// a quantum of 21 ms on PipeWire), so the longest delay that was seen is what it may have taken by now. One that takes
  /// more than 50 ms at a time is a device with a long buffer, which PulseAudio can rewind. The source has 20 ms.
  private var replacementLead: Double { min(longestSinkDelay, 0.05 * sampleRate) + 0.02 * sampleRate }

  /// How far the line may lead by itself.
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
