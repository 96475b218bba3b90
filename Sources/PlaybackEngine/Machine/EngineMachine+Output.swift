import AudioCore
import HostTime

/// The output as the machine sees it: what it should do, what it was told, what it answered.
struct OutputState {
  enum Phase: Hashable {
    /// There is none, and nobody asked for one.
    case none
    /// Asked for and not answered yet.
    case opening
    case open
    /// To be tried again at that moment.
    case retrying(HostTime)
    /// Gone for good.
    case failed
  }

  var phase = Phase.none
  /// Raised for each stream, so that an event of the last one is not taken for an event of this one.
  var serial: UInt64 = 0
  var failedAttempts = 0
  var isRunning = false
  var appliedVolume: Float = 1
  var appliedMute = false
  var isTakenAway = false
  /// Raised for each flush; only the newest one's answer counts.
  var flushSerial: UInt64 = 0
  var flushRequested = false
  var flushPending = false
  var needsKick = false
  /// The output is to ask whether there are frames in the place of some that it has.
  var needsReplacing = false
  /// What the stream took and was not heard yet.
  var timeline = RenderedTimeline()
  /// Sound has flowed since playback was asked for, and since the last jump: if it stands still now it is starved, and
  /// not about to start.
  var hasMoved = false
  /// The frame of the stream up to which a file was written at the last look.
  var writtenFrame = 0.0
  /// Since when nothing moves although it should.
  var standingSince: HostTime?

  /// Playback is asked for: what failed before does not count.
  mutating func tryAnew() {
    hasMoved = false
    failedAttempts = 0
    switch phase {
    case .retrying, .failed: phase = .none
    case .none, .opening, .open: break
    }
  }

  /// Has the stream flushed, if there is one that may have taken something.
  mutating func requestFlush() {
    if phase == .open {
      flushRequested = true
      flushPending = true
      flushSerial += 1
    }
    needsKick = true
  }
}

/// What the conductor is to do with the output, in this order.
enum OutputCommand {
  case open(PCMFormat, serial: UInt64, generation: UInt64)
  case flush(serial: UInt64)
  case start
  case stop
  case setVolume(Float, muted: Bool)
  case dataAvailable
  case replaceFrames
  case close
}

extension EngineMachine {
  /// How long sound may stand still before that is called a stall: longer than the flush and refill of a seek
  /// (7 ms on a null sink, 100 ms over Bluetooth), shorter than what a person takes for a hang.
  static let stallDelay = 0.25

  /// How long a start counts as being evaluated, in seconds.
  static let evaluationTime = 1.0

  /// How soon the conductor looks again at the earliest: one step of 20 kHz, far below what anyone observes.
  static let shortestWait = 50e-6

  /// Sound should flow now, as far as the user is concerned.
  var wantsSound: Bool { rate != 0 && !isSuspended && current != nil && endedAt == nil }

  /// What the output has to be told now.
  mutating func outputCommands(now: HostTime) -> [OutputCommand] {
    var commands: [OutputCommand] = []
    let wantsStream = wantsSound && format != nil
    switch output.phase {
    case .none where wantsStream:
      openStream(&commands)
    case .retrying(let moment) where wantsStream && moment <= now:
      openStream(&commands)
    default:
      break
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

  /// Closes the stream, if there is one; what was decoded stays.
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

  /// Takes in what the stream `serial` says.
  mutating func receive(_ event: OutputEvent, serial: UInt64, now: HostTime) {
    guard serial == output.serial else { return }
    switch event {
    case .opened(let route):
      output.phase = .open
      emit(.outputOpened(route: route))
    case .timingChanged:
      break
    case .suspended(let isTakenAway):
      output.isTakenAway = isTakenAway
    case .moved(let route):
      emit(.outputOpened(route: route))
    case .failed(let error, let heardFrame):
      loseOutput(error, heardFrame: heardFrame, now: now)
    }
  }

  /// Sets the decoder to where the current item rests.
  mutating func restartDecoding() {
    guard let current else {
      cursor = .empty
      return
    }
    cursor = .start(current, restingPosition.map { .frame($0.frame) } ?? .seconds(resting))
  }
}
