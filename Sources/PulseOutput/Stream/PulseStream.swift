import AudioCore
import CPulse
import HostTime
import Synchronization

/// One playback stream: pulls frames from its source into libpulse's memory and knows what is heard.
///
/// Unchecked: `let`s apart, `clock` has a lock of its own, `isHungry` is atomic, and everything else is only touched
/// with the main loop's lock held, which libpulse holds for its callbacks as well. The engine's `render` and event
/// handler are called with that lock: they may take short locks of their own, but nobody may call this stream while
/// holding one of those.
final class PulseStream: PulseConnectionUser, @unchecked Sendable {
  let connection: PulseConnection
  let calls: any PulseCalls
  let configuration: PulseConfiguration
  let format: PCMFormat
  let source: any RenderSource
  let hostClock: any HostClock
  private let events: @Sendable (OutputEvent) -> Void

  /// What is heard; its lock is held for arithmetic only.
  let clock: Mutex<HeardClock>
  /// The source gave less than was asked for: `dataAvailable` has to wake the loop.
  private let isHungry = Atomic<Bool>(false)

  // With the main loop's lock held.
  var handle: StreamHandle?
  var isOpen = false
  private(set) var isDead = false
  private var workEvent: DeferHandle?
  private var replyTimer: TimerHandle?
  private var timingTimer: TimerHandle?
  /// Seconds between the last two regular requests for timing information.
  private var timingInterval = 0.005
  private var pendingFailure: OutputError?
  /// `start` was called last, not `stop`.
  var wantsSound = false
  /// What the server was told last.
  var isCorked = true
  var isSuspended = false
  /// Frames since the last flush or drain that nobody forced out yet.
  var hasUnforcedFrames = false
  var flushCompletions: [@Sendable (Int64) -> Void] = []
  var flushAnswer: OperationHandle?
  /// The server's word that everything was heard, while it is waited for, and how long for.
  var drainAnswer: OperationHandle?
  private var drainTimer: TimerHandle?
  /// The source said that it has other frames for some that were sent.
  var isReplacing = false
  /// Between `flush` and the server's answer: nothing is rendered.
  var isFlushing = false
  var volume: UInt32 = PA_VOLUME_NORM
  /// What the server was told of it last.
  var sentVolume: UInt32 = PA_VOLUME_NORM
  /// The name of the sink that the stream plays to, or did last.
  var route = "unknown sink"
  /// The question which sinks there are, after the stream's own was missing, and the answer so far.
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
    clock = Mutex(HeardClock(sampleRate: format.sampleRate))
  }

  /// What libpulse's callbacks get of this object: no reference, since the connection holds it while they may come.
  var userdata: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  /// The stream that a callback is for.
  static func from(_ userdata: UnsafeMutableRawPointer?) -> PulseStream? {
    userdata.map { Unmanaged<PulseStream>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Runs `callback` on the loop's thread in `seconds`, unless the handle is dropped before.
  private func timer(in seconds: Double, _ callback: @escaping pa_time_event_cb_t) -> TimerHandle? {
    guard let loop = connection.loop, let context = connection.contextPointer else { return nil }
    return calls.timerNew(context, delay: pa_usec_t(max(0, seconds) * 1e6), callback, userdata)
      .map { TimerHandle(calls: calls, loop: loop, pointer: $0) }
  }

  func send(_ event: OutputEvent) { if !isDead { events(event) } }

  // MARK: Life

  /// Begins to open. Any thread, no lock. The connection holds this object until it has failed or was closed.
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

  /// The process has no descriptor or no thread left. Without an output thread the failure is told on this one.
  private func failWithoutLoop() {
    send(.failed(OutputError("libpulse could not start its thread", isRecoverable: true), heardFrame: 0))
    isDead = true
  }

  /// From now on the server has `replyTimeout` seconds.
  func limitReply() {
    replyTimer = timer(in: configuration.replyTimeout) { PulseStream.from($3)?.timeOut() }
  }

  /// The server has answered.
  func replyCame() { replyTimer = nil }

  fileprivate func timeOut() {
    replyTimer = nil
    guard !isDead else { return }
    // A server that hangs leaves a context that looks alive; the next stream gets a new one.
    if !isOpen, handle == nil { connection.discard() }
    let limit = configuration.replyTimeout
    fail(OutputError("the sound server did not answer within \(limit) seconds", isRecoverable: true))
  }

  /// Ends the stream and says so, once. On the loop's thread.
  func fail(_ error: OutputError) {
    guard !isDead else { return }
    let heard = hold().heardFrame
    isDead = true
    letGo()
    events(.failed(error, heardFrame: Int64(heard.rounded(.down))))
  }

  /// Ends the stream and says so from the loop's thread.
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
    sinkAnswer = nil
    forgetDrain()
    flushCompletions = []
    workEvent = nil
    if let stream = handle.take() {
      if calls.streamGetState(stream.pointer) == PA_STREAM_CREATING { connection.adopt(stream) }
    }
    connection.leave(self)
  }

  // MARK: Rendering

  /// Asks the loop's thread to pull. With the lock.
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

  /// Gives the server what it asks for. On the loop's thread.
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
    // Short. The flag goes up before the source is asked once more: either that call sees what the engine has added
    // since, or the engine sees the flag.
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

  /// Writes over frames that were sent and for which the source has others; without a gap, since what was there sounds
  /// until then. Returns by how many frames more or fewer the server misses then than before.
  private func writeOver(_ stream: OpaquePointer, wish: Int) -> Int {
    guard isReplacing else { return 0 }
    isReplacing = false
    guard let frame = source.replacedFrame else { return 0 }
    let back = clock.withLock { $0.positions.renderedFrames } - frame
    let (_, rendered) = renderOnce(stream, atMost: wish + Int(back), from: frame)
    return rendered > 0 ? Int(back) - rendered : 0
  }

  /// Renders the next frames, or those from `frame` on in the place of what was sent.
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

  /// A rest that is shorter than what the server waits for never sounds by itself: below the start threshold on both
  /// servers, and the last part of a quantum on PipeWire (0.3.65 left 222 frames unheard after a mere trigger).
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

  /// The end may be as far away as the buffer is long; after that the server has `drainPatience` seconds. Not while
  /// corked, where the end does not come nearer.
  func limitDrain() {
    drainTimer = nil
    guard drainAnswer != nil, !isCorked else { return }
    drainTimer = timer(in: max(0, configuration.bufferDuration) + Self.drainPatience) {
      PulseStream.from($3)?.drained()
    }
  }

  /// PulseAudio answers within a block of the sink (50 ms), PipeWire within a quantum; one that starves may need a
  /// little longer.
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

  // MARK: What is heard

  func timing() -> OutputTiming {
    let now = hostClock.now
    return clock.withLock { $0.timing(at: now) }
  }

  /// Stops the heard clock where it is.
  @discardableResult
  func hold() -> OutputTiming {
    let now = hostClock.now
    return clock.withLock {
      $0.hold(at: now)
      return $0.timing(at: now)
    }
  }

  /// Lets the heard clock move again, as soon as the server says how.
  func release() {
    clock.withLock { $0.release() }
    beginTiming()
  }

  /// libpulse's timing information as a report; nil if there is none or it cannot be trusted.
  func timingReport() -> TimingReport? {
    guard let stream = handle?.pointer, let info = calls.streamGetTimingInfo(stream) else { return nil }
    // The two clocks have to be read at one moment: a thread that loses the processor in between would see an age
    // that is milliseconds too large.
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
    // The stamp is wall time: when that was set meanwhile the age is nonsense.
    guard age >= 0, age < 1 else { return nil }
    return TimingReport(
      hostTime: now.advanced(bySeconds: -age),
      readPosition: Double(info.read_index) / Double(format.bytesPerFrame),
      sinkDelay: (Double(info.sink_usec) / 1e6 + configuration.delayBehindSink) * Double(format.sampleRate),
      isPlaying: info.playing != 0)
  }

  /// Timing information has arrived.
  func takeTiming() {
    guard isOpen, !isFlushing else { return }
    guard let report = timingReport() else { return askForTimingLater() }
    if isCorked || isSuspended {
      // Nothing moves: nothing more to ask for, and no wake-ups.
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

  /// Sound may flow: asks at once, and then less and less often, up to every 1.5 s, as libpulse's own automatic does.
  /// That one goes on while the stream is corked (1.5 wake-ups a second measured), so it is not used.
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
    calls.forget(calls.streamUpdateTimingInfo(stream, nil, nil))
  }
}
