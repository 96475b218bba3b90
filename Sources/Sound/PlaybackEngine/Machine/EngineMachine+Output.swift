import AudioCore
import Clocks
import SystemSupport

struct OutputState {
  enum Phase: Hashable {
    case none
    /// A stream was requested and has not answered yet.
    case opening
    case open
    /// Opening is retried at that time.
    case retrying(HostTime)
    /// Failed permanently; not retried before playback is requested again.
    case failed
  }

  var phase = Phase.none
  /// The stream's number, raised for each stream, so that events of earlier streams are ignored.
  var serial: UInt64 = 0
  /// The delays between attempts to open a stream. The first are short, because a restarted server is
  /// available within half a second.
  var backoff = Backoff(first: 0.1, second: 0.25, longest: 5)
  var isRunning = false
  var appliedVolume: Float = 1
  var appliedMute = false
  var isTakenAway = false
  /// The number of the newest flush. Only the answer to that flush counts.
  var flushSerial: UInt64 = 0
  var flushRequested = false
  var flushPending = false
  var needsKick = false
  /// Whether the output must ask for replacements of frames that it holds.
  var needsReplacing = false
  /// The frames taken by the stream and not heard yet.
  var timeline = RenderedTimeline()
  /// Whether sound has played since the last play request or jump. If so, silence now means starvation and
  /// not a start in progress.
  var hasMoved = false
  /// The stream frame up to which an offline output had written at the last check.
  var writtenFrame = 0.0
  /// The time since which no frame has moved although sound is wanted.
  var standingSince: HostTime?

  mutating func tryAnew() {
    hasMoved = false
    backoff.reset()
    switch phase {
    case .retrying, .failed: phase = .none
    case .none, .opening, .open: break
    }
  }

  /// Requests a flush if the stream is open; a stream that is still opening has taken no frames.
  mutating func requestFlush() {
    if phase == .open {
      flushRequested = true
      flushPending = true
      flushSerial += 1
    }
    needsKick = true
  }
}

/// A command for the conductor to execute on the output, in order.
enum OutputCommand {
  case open(PCMFormat, serial: UInt64, generation: UInt64)
  case flush(serial: UInt64)
  case start
  case stop
  case setVolume(Float, muted: Bool)
  case dataAvailable
  case replaceFrames
}

extension EngineMachine {
  /// The seconds of silence after which a stall is reported. Longer than the flush and refill of a seek (7 ms
  /// on a null sink, 100 ms over Bluetooth), shorter than what a user perceives as a hang.
  static let stallDelay = 0.25

  /// The shortest wait in seconds for the end of the taken frames. Without an observer, only this check
  /// notices that the output gets no more frames. An interval of 5 s adds few wake-ups.
  static let starvationInterval = 5.0

  /// The seconds after which a start that waits for data or for its item to be opened reports `toMinimizeStalls`
  /// instead of `evaluatingBufferingRate`.
  static let evaluationTime = 1.0

  /// The conductor's shortest wait for a deadline, in nanoseconds: far below any observer interval.
  static let shortestWait: Int64 = 50_000

  /// Whether sound is to play now: the rate is not 0, the engine is not suspended, and a current item has not
  /// ended.
  var wantsSound: Bool { rate != 0 && !isSuspended && current != nil && endedAt == nil }

  /// Returns the commands that bring the output to the wanted state.
  mutating func outputCommands(now: HostTime) -> [OutputCommand] {
    var commands: [OutputCommand] = []
    switch output.phase {
    case .none: if wantsSound { openStream(&commands) }
    case .retrying(let moment): if wantsSound, moment <= now { openStream(&commands) }
    case .opening, .open, .failed: break
    }
    guard output.phase == .open || output.phase == .opening else { return commands }
    if output.flushRequested {
      output.flushRequested = false
      commands.append(.flush(serial: output.flushSerial))
    }
    if output.appliedVolume != volume || output.appliedMute != isMuted {
      output.appliedVolume = volume
      output.appliedMute = isMuted
      commands.append(.setVolume(volume, muted: isMuted))
    }
    let flows = wantsSound && !buffering.holdsBack
    if flows != output.isRunning {
      output.isRunning = flows
      commands.append(flows ? .start : .stop)
    }
    if output.needsReplacing {
      output.needsReplacing = false
      commands.append(.replaceFrames)
    }
    if output.needsKick, !output.flushPending {
      output.needsKick = false
      commands.append(.dataAvailable)
    }
    return commands
  }

  private mutating func openStream(_ commands: inout [OutputCommand]) {
    guard let format else { return }
    closeStream()
    output.phase = .opening
    output.appliedVolume = 1
    output.appliedMute = false
    output.isTakenAway = false
    commands.append(.open(format, serial: output.serial, generation: generation))
  }

  /// Closes the stream, if any, and forgets the frames that it has taken.
  mutating func closeStream() {
    output.phase = .none
    output.serial += 1
    isMoving = false
    output.writtenFrame = 0
    output.isRunning = false
    output.flushRequested = false
    output.flushPending = false
    output.needsReplacing = false
    output.timeline = RenderedTimeline()
  }

  mutating func receive(_ event: OutputEvent, serial: UInt64, now: HostTime) {
    guard serial == output.serial else { return }
    switch event {
    case .opened(let route):
      output.phase = .open
      emit(.outputOpened(route: route))
    case .timingChanged: break
    case .suspended(let isTakenAway): output.isTakenAway = isTakenAway
    case .moved(let route): emit(.outputOpened(route: route))
    case .failed(let error, let heardFrame): loseOutput(error, heardFrame: heardFrame, now: now)
    }
  }

  /// Moves the decode cursor to the current item's resting position.
  mutating func restartDecoding() {
    cursor = current.map { .start($0, restingStart) } ?? .empty
  }
}

// Reconnection after a back-off, at the frame heard last.
extension EngineMachine {
  /// Handles a stream that failed to open or died; `heardFrame` is the number of the last frame heard.
  mutating func loseOutput(_ error: OutputError, heardFrame: Int64, now: HostTime) {
    let wasOpen = output.phase == .open
    // Delivers steps and ends up to the last heard frame first.
    if wasOpen { progress(toFrame: Double(heardFrame), now: now) }
    restartDecoding()
    if wasOpen { restartDecoding(atHeard: heardFrame) }
    beginGeneration()
    closeStream()
    guard error.isRecoverable else {
      output.phase = .failed
      emit(.outputUnavailable(error, retryAfter: nil))
      setRate(0, reason: .setRateFailed, now: now)
      return
    }
    let delay = output.backoff.fail()
    output.phase = .retrying(now.advanced(bySeconds: delay))
    emit(.outputUnavailable(error, retryAfter: delay))
  }

  /// Moves the cursor to the last heard frame of the current item. If the device reported a later position
  /// before it died, the reported position stays constant until playback reaches it.
  private mutating func restartDecoding(atHeard frame: Int64) {
    guard let (run, _) = output.timeline.first(since: heardGeneration), let current, run.item == current,
      let itemRate, endedAt == nil
    else { return }
    let frames = min(max(0, frame - run.firstFrame), run.frameCount)
    cursor = .start(current, .frame(position(in: run, frames: Double(frames), itemRate).frame))
  }
}
