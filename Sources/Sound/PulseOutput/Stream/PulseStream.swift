import AudioCore
import CPulse
import Clocks
import Synchronization

/// A playback stream: pulls frames from its source into libpulse's memory and tracks the heard position.
///
/// Unchecked: apart from the `let`s, `clock` has its own lock, `isHungry` is atomic, and all other state is
/// accessed only with the main loop's lock held. libpulse holds that lock for its callbacks as well. The
/// engine's `render` and event handler are called with the main loop's lock held. They may take short locks
/// of their own, which must never be held during a call of this stream.
final class PulseStream: PulseConnectionUser, PulseUserData, @unchecked Sendable {
  let connection: PulseConnection
  let calls: any PulseCalls
  let configuration: PulseConfiguration
  let format: PCMFormat
  let source: any RenderSource
  let hostClock: any HostClock
  private let events: @Sendable (OutputEvent) -> Void

  /// The clock of the heard position; its lock is held for arithmetic only.
  let clock: Mutex<HeardClock>
  /// Whether the source delivered less than requested, so that `dataAvailable` must wake the loop.
  private let isHungry = Atomic<Bool>(false)

  // The state below is accessed only with the main loop's lock held.
  var handle: StreamHandle?
  var isOpen = false
  private(set) var isDead = false
  private var workEvent: DeferHandle?
  private var replyTimer: TimerHandle?
  private var timingTimer: TimerHandle?
  /// The interval of regular requests for timing information, in seconds; doubled by each request up to 1.5 s.
  private var timingInterval = 0.005
  private var pendingFailure: OutputError?
  /// Whether `start` was the last call, rather than `stop`.
  var wantsSound = false
  /// The cork state last sent to the server.
  var isCorked = true
  var isSuspended = false
  /// Whether frames sent since the last flush or drain may still need a drain to be heard.
  var hasUnforcedFrames = false
  var flushCompletions: [@Sendable (Int64) -> Void] = []
  var flushAnswer: OperationHandle?
  /// The pending answer after a cork.
  var corkAnswer: OperationHandle?
  /// The pending answer of a drain, and its timeout.
  var drainAnswer: OperationHandle?
  private var drainTimer: TimerHandle?
  /// Whether the source has replacements for frames already sent.
  var isReplacing = false
  /// Whether a flush awaits the server's answer; no frames are rendered until then.
  var isFlushing = false
  /// Whether the stream is still to be moved to the chosen sink.
  var isMoveDue = false
  /// The pending answer to a move, until which the stream is corked.
  var moveAnswer: OperationHandle?
  var volume: UInt32 = PA_VOLUME_NORM
  /// The volume last sent to the server.
  var sentVolume: UInt32 = PA_VOLUME_NORM
  var route = "unknown sink"
  /// The pending request for the sinks after the configured one was missing, and their names so far.
  var sinkAnswer: OperationHandle?
  var sinkNames: [String] = []

  init(
    connection: PulseConnection, configuration: PulseConfiguration, format: PCMFormat,
    source: any RenderSource, events: @escaping @Sendable (OutputEvent) -> Void
  ) {
    self.connection = connection
    calls = connection.calls
    self.configuration = configuration
    self.format = format
    self.source = source
    hostClock = connection.clock
    self.events = events
    clock = Mutex(
      HeardClock(sampleRate: format.sampleRate, delayBehindSink: configuration.delayBehindSink))
  }

  /// Creates a timer for `callback` on the loop's thread in `seconds`; nil without a context. Releasing the handle
  /// cancels the timer.
  private func timer(in seconds: Double, _ callback: @escaping pa_time_event_cb_t) -> TimerHandle? {
    guard let loop = connection.loop, let context = connection.contextPointer else { return nil }
    return calls.timerNew(context, delay: pa_usec_t(max(0, seconds) * 1e6), callback, userdata)
      .map { TimerHandle(calls: calls, loop: loop, pointer: $0) }
  }

  func send(_ event: OutputEvent) { if !isDead { events(event) } }

  // MARK: Opening and closing

  /// Starts opening. Thread-safe; call without the lock. The connection retains this stream until it fails or
  /// is closed.
  func open() {
    connection.withLock {
      guard let loop = connection.loop else { return failWithoutLoop() }
      workEvent = calls.deferNew(loop, { PulseStream.from($2)?.work() }, userdata)
        .map { DeferHandle(calls: calls, loop: loop, pointer: $0) }
      guard connection.connect() else {
        connection.join(self)
        return failSoon(
          OutputError(
            "no connection to the sound server\(connection.place): \(connection.lastError)",
            isRecoverable: true))
      }
      limitReply()
      connection.join(self)
    }
  }

  /// Reports on the caller's thread that libpulse cannot be used, or that the process lacks descriptors, memory or
  /// threads for the connection's loop.
  private func failWithoutLoop() {
    let missing = calls.unavailability
    let error = OutputError(missing ?? "libpulse could not start its thread", isRecoverable: missing == nil)
    send(.failed(error, heardFrame: 0))
    isDead = true
  }

  func limitReply() { replyTimer = timer(in: configuration.replyTimeout) { PulseStream.from($3)?.timeOut() } }

  /// Cancels the reply timeout, because the server has answered.
  func replyCame() { replyTimer = nil }

  fileprivate func timeOut() {
    replyTimer = nil
    guard !isDead else { return }
    let limit = configuration.replyTimeout
    connection.drop(
      error: OutputError("the sound server did not answer within \(limit) seconds", isRecoverable: true))
  }

  /// Ends the stream and reports the error, once. Call with the lock held.
  func fail(_ error: OutputError) {
    guard !isDead else { return }
    let heard = hold().heardFrame
    isDead = true
    letGo()
    events(.failed(error, heardFrame: Int64(heard.rounded(.down))))
  }

  /// Ends the stream and reports the error from the loop's thread.
  func failSoon(_ error: OutputError) {
    pendingFailure = pendingFailure ?? error
    workEvent?.enable()
  }

  func close() {
    connection.withLock {
      guard !isDead else { return }
      _ = hold()
      isDead = true
      letGo()
    }
  }

  private func letGo() {
    isOpen = false
    replyTimer = nil
    timingTimer = nil
    flushAnswer = nil
    corkAnswer = nil
    sinkAnswer = nil
    moveAnswer = nil
    forgetDrain()
    flushCompletions = []
    workEvent = nil
    if let stream = handle.take() {
      if calls.streamGetState(stream.pointer) == PA_STREAM_CREATING { connection.adopt(stream) }
    }
    connection.leave(self)
  }

  // MARK: Rendering

  /// Schedules a pull on the loop's thread. Call with the lock held.
  func pullSoon() { workEvent?.enable() }

  func dataAvailable() {
    guard isHungry.exchange(false, ordering: .sequentiallyConsistent) else { return }
    connection.withLock { pullSoon() }
  }

  fileprivate func work() {
    workEvent?.disable()
    guard !isDead else { return }
    if let error = pendingFailure { return fail(error) }
    if isOpen { pull() } else { completeFlushBeforeOpening() }
  }

  /// Sends the frames that the server requests. Call on the loop's thread.
  func pull() {
    guard isOpen, !isFlushing, let stream = handle?.pointer else { return }
    let wish = calls.streamWritableSize(stream)
    guard wish != .max else { return }
    let wasStill = !clock.withLock { $0.isMoving }
    defer { if wasStill, hasUnforcedFrames, !isCorked, !isSuspended { beginTiming() } }
    var missing = wish / format.bytesPerFrame + writeOver(stream, wish: wish / format.bytesPerFrame)
    while missing > 0 {
      let (asked, rendered) = renderOnce(stream, atMost: missing)
      if rendered > 0 { missing -= rendered }
      if rendered < asked || asked == 0 { break }
    }
    guard missing > 0 else { return }
    // The flag is set before the source is asked again. Frames added in between are found by that request, or
    // the engine sees the flag and wakes the loop.
    isHungry.store(true, ordering: .sequentiallyConsistent)
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    while missing > 0 {
      let (_, rendered) = renderOnce(stream, atMost: missing)
      if rendered <= 0 { break }
      missing -= rendered
    }
    if missing == 0 { isHungry.store(false, ordering: .relaxed) }
    forceOutAtEnd()
  }

  /// Overwrites sent frames with replacements, without a gap. Returns the change of the number of frames that the
  /// server lacks: the replaced frames minus those rendered, or 0 if nothing was replaced.
  private func writeOver(_ stream: OpaquePointer, wish: Int) -> Int {
    guard isReplacing else { return 0 }
    isReplacing = false
    guard let frame = source.replacedFrame else { return 0 }
    let back = clock.withLock { $0.positions.renderedFrames } - frame
    let (_, rendered) = renderOnce(stream, atMost: wish + Int(back), from: frame)
    return rendered > 0 ? Int(back) - rendered : 0
  }

  /// Renders and sends the next frames, or replacements for the frames sent from `frame` on. Returns the numbers
  /// of frames requested from the source and sent.
  private func renderOnce(
    _ stream: OpaquePointer, atMost frames: Int, from frame: Int64? = nil
  ) -> (asked: Int, rendered: Int) {
    var bytes = frames * format.bytesPerFrame
    guard let memory = calls.streamBeginWrite(stream, bytes: &bytes) else { return (0, 0) }
    let asked = min(bytes / format.bytesPerFrame, frames)
    let samples = asked * format.channelCount
    let next = clock.withLock { $0.positions.renderedFrames }
    let first = frame ?? next
    let rendered =
      asked == 0
      ? 0
      : source.render(
        into: UnsafeMutableBufferPointer(start: memory.assumingMemoryBound(to: Float.self), count: samples),
        firstFrame: first)
    guard rendered > 0 else {
      _ = calls.streamCancelWrite(stream)
      return (asked, 0)
    }
    let now = hostClock.now
    clock.withLock { $0.rendered(rendered, from: frame, now: now) }
    forgetDrain()
    hasUnforcedFrames = true
    let offset = (first - next) * Int64(format.bytesPerFrame)
    if calls.streamWrite(stream, memory, bytes: rendered * format.bytesPerFrame, offset: offset) < 0 {
      failSoon(OutputError("the sound server took no more sound", isRecoverable: true))
      return (asked, 0)
    }
    return (asked, rendered)
  }

  /// Drains the last frames once the source is at its end. Otherwise a remainder below the start threshold
  /// would never play on either server, nor the last part of a quantum on PipeWire (pa_stream_trigger alone
  /// left 222 frames unheard in 0.3.65).
  func forceOutAtEnd() {
    guard hasUnforcedFrames, isOpen, !isCorked, !isSuspended, !isFlushing, let stream = handle?.pointer,
      source.isAtEnd
    else { return }
    hasUnforcedFrames = false
    drainAnswer = OperationHandle(
      calls, calls.streamDrain(stream, { PulseStream.from($2)?.drained() }, userdata))
    guard drainAnswer != nil else { return }
    clock.withLock { $0.awaitEnd() }
    limitDrain()
  }

  /// Sets the drain's timeout: `bufferDuration` plus `drainPatience`. No timeout runs while corked, since a
  /// corked stream does not play to its end.
  func limitDrain() {
    drainTimer = nil
    guard drainAnswer != nil, !isCorked else { return }
    drainTimer = timer(in: max(0, configuration.bufferDuration) + Self.drainPatience) {
      PulseStream.from($3)?.drained()
    }
  }

  /// The margin of the drain timeout in seconds. PulseAudio answers within a block of the sink (50 ms),
  /// PipeWire within a quantum; a starved server may take slightly longer.
  private static let drainPatience = 1.0

  func forgetDrain() {
    drainAnswer = nil
    drainTimer = nil
  }

  fileprivate func drained() {
    guard drainAnswer != nil, !isDead else { return }
    forgetDrain()
    clock.withLock { $0.reachEnd() }
    send(.timingChanged)
  }

  // MARK: Heard position

  func timing() -> OutputTiming {
    let now = hostClock.now
    return clock.withLock { $0.timing(at: now) }
  }

  @discardableResult
  func hold() -> OutputTiming {
    let now = hostClock.now
    return clock.withLock {
      $0.hold(at: now)
      return $0.timing(at: now)
    }
  }

  /// Lets the heard clock move again as soon as a timing report allows it.
  func release() {
    clock.withLock { $0.release() }
    beginTiming()
  }

  /// Returns libpulse's timing information as a report; nil if none exists or if it is not reliable.
  func timingReport() -> TimingReport? {
    guard let stream = handle?.pointer, let info = calls.streamGetTimingInfo(stream) else { return nil }
    // Both clocks must be read at the same time, because preemption in between would add milliseconds to the
    // age.
    var now = hostClock.now
    var wall = calls.wallClock()
    for _ in 0..<3 {
      let after = hostClock.now
      if after.seconds(since: now) < 0.00005 { break }
      now = after
      wall = calls.wallClock()
    }
    let stamp = Int64(info.timestamp.tv_sec) * 1_000_000 + Int64(info.timestamp.tv_usec)
    let age = Double(wall - stamp) / 1e6
    // The stamp is wall time; if the wall clock was set since then, the age is meaningless.
    guard age >= 0, age < 1 else { return nil }
    return TimingReport(
      hostTime: now.advanced(bySeconds: -age),
      readPosition: Double(info.read_index) / Double(format.bytesPerFrame),
      sinkDelay: (Double(info.sink_usec) / 1e6 + configuration.delayBehindSink) * Double(format.sampleRate),
      isPlaying: info.playing != 0)
  }

  func takeTiming() {
    guard isOpen, !isFlushing else { return }
    if moveAnswer == nil { replyCame() }
    guard let report = timingReport() else { return askForTimingLater() }
    if isCorked || isSuspended {
      // The position does not move, so no further requests and wake-ups are needed.
      timingTimer = nil
      if clock.withLock({ $0.settle(readPosition: report.readPosition) }) { send(.timingChanged) }
      return
    }
    let now = hostClock.now
    let (changed, nextReport, expectsMore) = clock.withLock { clock in
      let (changed, nextReport) = clock.take(report, now: now)
      return (changed, nextReport, clock.expectsReports(after: report, now: now))
    }
    if let nextReport { askForTiming(in: nextReport) } else if expectsMore { askForTimingLater() }
    if changed { send(.timingChanged) }
  }

  /// Requests timing information at once, then at doubling intervals up to 1.5 s, like libpulse's automatic
  /// updates. Those continue while corked (1.5 wake-ups a second measured), so they are not used.
  func beginTiming() {
    timingInterval = 0.005
    askForTiming()
  }

  private func askForTimingLater() {
    timingInterval = min(timingInterval * 2, 1.5)
    askForTiming(in: timingInterval)
  }

  private func askForTiming(in seconds: Double) {
    timingTimer = timer(in: seconds) { PulseStream.from($3)?.timingDue() }
  }

  fileprivate func timingDue() {
    timingTimer = nil
    if !isCorked, !isSuspended { askForTiming() }
  }

  func askForTiming() {
    guard let stream = handle?.pointer else { return }
    let isAsked = calls.forget(calls.streamUpdateTimingInfo(stream, nil, nil))
    // A further request does not extend the timeout of a pending one.
    if isAsked, !isCorked, !isSuspended, replyTimer == nil { limitReply() }
  }
}
