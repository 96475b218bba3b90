import AudioCore
import CPulse
import Foundation
import PulseTestSupport
import Synchronization

@testable import PulseOutput

/// Plays libpulse and the server behind it: records what is called and calls back when a test says so.
///
/// Callbacks run on the test's own thread with `run`, which counts as the loop's thread meanwhile.
final class ScriptedPulse: PulseCalls {
  struct State {
    var calls: [String] = []
    var contextState = PA_CONTEXT_CONNECTING
    var contextError: Int32 = 11
    var contextCallback: (pa_context_notify_cb_t, UInt)?
    var streamState = PA_STREAM_CREATING
    var callbacks: PulseStreamCallbacks?
    var streamUserdata: UInt = 0
    var deferred: [UInt: (callback: pa_defer_event_cb_t, userdata: UInt, isEnabled: Bool)] = [:]
    var timers: [UInt: (callback: pa_time_event_cb_t, userdata: UInt, delay: pa_usec_t)] = [:]
    var timingAnswers: [UInt: (callback: pa_stream_success_cb_t?, userdata: UInt)] = [:]
    var drainAnswers: [UInt: (callback: pa_stream_success_cb_t?, userdata: UInt)] = [:]
    var subscriber: (callback: pa_context_subscribe_cb_t, userdata: UInt)?
    var sinkInputAnswers: [UInt: (callback: pa_sink_input_info_cb_t, userdata: UInt)] = [:]
    var sinkAnswers: [UInt: (callback: pa_sink_info_cb_t, userdata: UInt)] = [:]
    var sinkListAnswers: [UInt: (callback: pa_sink_info_cb_t, userdata: UInt)] = [:]
    var moveAnswers: [UInt: (sink: String, callback: pa_context_success_cb_t, userdata: UInt)] = [:]
    /// The sink of the stream.
    var sink = "scripted"
    /// The sink with which the stream was connected.
    var connectedSink: String?
    var operations: Set<UInt> = []
    var streams: Set<UInt> = []
    var contexts: Set<UInt> = []
    var loops: Set<UInt> = []
    var next: UInt = 0x1000
    var locksOfFreedLoops = 0
    var inThread: Set<UInt64> = []
    var timing: pa_timing_info?
    var attributes = pa_buffer_attr(maxlength: 0, tlength: 0, prebuf: 0, minreq: 0, fragsize: 0)
    var writable = 0
    var blockSize = 65472
    var refusesOperations = false
    var refusesConnection = false
    var refusesLoop = false
    var refusesStream = false
    var refusesPlayback = false
    var unavailability: String?
    var isSuspended = false
    var writtenBytes = 0
    var volumes: [pa_volume_t] = []
    var wallClock: Int64 = 1_000_000_000
    var memory: UInt = 0
  }
  // Closures and libpulse structs are plain values here; the mutex is what makes them shareable.
  struct Box: @unchecked Sendable { var state = State() }
  private let box = Mutex(Box())
  private let loopLock = NSRecursiveLock()

  var unavailability: String? { with { $0.unavailability } }

  func with<R: Sendable>(_ body: (inout State) -> R) -> R { box.withLock { body(&$0.state) } }
  var calls: [String] { with { $0.calls } }
  /// What is still referenced: loops, contexts, streams, events, timers, operations.
  var living: Int {
    with {
      $0.loops.count + $0.contexts.count + $0.streams.count + $0.deferred.count + $0.timers.count
        + $0.operations.count
    }
  }

  /// What real libpulse stops the program for.
  var locksOfFreedLoops: Int { with { $0.locksOfFreedLoops } }

  private func make(_ call: String, _ keep: (inout State, UInt) -> Void) -> OpaquePointer? {
    box.withLock { box in
      box.state.calls.append(call)
      box.state.next += 16
      keep(&box.state, box.state.next)
      return OpaquePointer(bitPattern: box.state.next)
    }
  }
  private func note(_ call: String, _ change: (inout State) -> Void = { _ in }) {
    box.withLock { box in
      box.state.calls.append(call)
      change(&box.state)
    }
  }
  private func number(_ pointer: OpaquePointer) -> UInt { UInt(bitPattern: pointer) }
  private func number(_ pointer: UnsafeMutableRawPointer?) -> UInt { UInt(bitPattern: pointer) }
  private func operation(_ call: String) -> OpaquePointer? {
    if with({ $0.refusesOperations }) {
      note("\(call) refused")
      return nil
    }
    return make(call) { $0.operations.insert($1) }
  }

  // MARK: What a test plays

  /// Runs `body` as the loop's thread, then whatever deferred events became due.
  func run(_ body: () -> Void) {
    loopLock.lock()
    defer { loopLock.unlock() }
    let me = UInt64(pthread_self())
    _ = with { $0.inThread.insert(me) }
    body()
    while let due = box.withLock({ $0.state.deferred.first { $0.value.isEnabled } }) {
      due.value.callback(
        nil, OpaquePointer(bitPattern: due.key), UnsafeMutableRawPointer(bitPattern: due.value.userdata))
    }
    _ = with { $0.inThread.remove(me) }
  }
  func setContext(_ state: pa_context_state_t) {
    run {
      let callback = box.withLock { box in
        box.state.contextState = state
        return box.state.contextCallback
      }
      let context = with { $0.contexts.first }
      guard let callback, let context else { return }
      callback.0(OpaquePointer(bitPattern: context), UnsafeMutableRawPointer(bitPattern: callback.1))
    }
  }
  func setStream(_ state: pa_stream_state_t) {
    with { $0.streamState = state }
    fire(\.state)
  }
  func fire(_ path: KeyPath<PulseStreamCallbacks, pa_stream_notify_cb_t?>) {
    run {
      let (callbacks, userdata, stream) = box.withLock {
        ($0.state.callbacks, $0.state.streamUserdata, $0.state.streams.first)
      }
      callbacks?[keyPath: path]?(
        stream.flatMap { OpaquePointer(bitPattern: $0) }, UnsafeMutableRawPointer(bitPattern: userdata))
    }
  }
  func request(bytes: Int) {
    run {
      let (callbacks, userdata, stream) = box.withLock { box in
        box.state.writable = bytes
        return (box.state.callbacks, box.state.streamUserdata, box.state.streams.first)
      }
      callbacks?.write?(
        stream.flatMap { OpaquePointer(bitPattern: $0) }, bytes, UnsafeMutableRawPointer(bitPattern: userdata)
      )
    }
  }
  /// Answers all requests for timing information.
  func answerTiming(success: Bool = true) {
    run {
      let answers = box.withLock { box in
        defer { box.state.timingAnswers = [:] }
        return box.state.timingAnswers
      }
      for (_, answer) in answers.sorted(by: { $0.key < $1.key }) {
        answer.callback?(nil, success ? 1 : 0, UnsafeMutableRawPointer(bitPattern: answer.userdata))
      }
    }
  }
  /// Says that everything was heard, to whoever waits for that.
  func answerDrain() {
    run {
      let answers = box.withLock { box in
        defer { box.state.drainAnswers = [:] }
        return box.state.drainAnswers
      }
      for (_, answer) in answers.sorted(by: { $0.key < $1.key }) {
        answer.callback?(nil, 1, UnsafeMutableRawPointer(bitPattern: answer.userdata))
      }
    }
  }
  /// Answers all questions about the server's streams and the sink; a volume of nil: there is no sink.
  func answerSurroundings(
    streams: [(client: UInt32, isCorked: Bool)], volume: pa_volume_t?, sinks: [String] = []
  ) {
    answerSinks(sinks)
    run {
      let (streamAnswers, sinkAnswers) = box.withLock { box in
        defer {
          box.state.sinkInputAnswers = [:]
          box.state.sinkAnswers = [:]
        }
        return (box.state.sinkInputAnswers, box.state.sinkAnswers)
      }
      for (_, answer) in streamAnswers {
        let userdata = UnsafeMutableRawPointer(bitPattern: answer.userdata)
        for stream in streams {
          var info = pa_sink_input_info()
          info.client = stream.client
          info.corked = stream.isCorked ? 1 : 0
          answer.callback(nil, &info, 0, userdata)
        }
        answer.callback(nil, nil, 1, userdata)
      }
      for (_, answer) in sinkAnswers {
        let userdata = UnsafeMutableRawPointer(bitPattern: answer.userdata)
        if let volume {
          var info = pa_sink_info()
          info.volume = continuo_pa_volume(2, volume)
          answer.callback(nil, &info, 0, userdata)
        }
        answer.callback(nil, nil, volume == nil ? -1 : 1, userdata)
      }
    }
  }
  /// Answers all questions about the server's sinks; nil: with an error.
  func answerSinks(_ names: [String]?) {
    run {
      let answers = box.withLock { box in
        defer { box.state.sinkListAnswers = [:] }
        return box.state.sinkListAnswers
      }
      for (_, answer) in answers {
        let userdata = UnsafeMutableRawPointer(bitPattern: answer.userdata)
        for name in names ?? [] {
          name.withCString { name in
            var info = pa_sink_info()
            info.name = name
            answer.callback(nil, &info, 0, userdata)
          }
        }
        answer.callback(nil, nil, names == nil ? -1 : 1, userdata)
      }
    }
  }
  /// Moves the stream as asked, or refuses that.
  func answerMove(isThere: Bool = true) {
    let answers = box.withLock { box in
      defer { box.state.moveAnswers = [:] }
      return box.state.moveAnswers
    }
    for (_, answer) in answers {
      if isThere { moveStream(to: answer.sink) }
      run { answer.callback(nil, isThere ? 1 : 0, UnsafeMutableRawPointer(bitPattern: answer.userdata)) }
    }
  }
  /// Has the stream somewhere else, as a person or the server decides.
  func moveStream(to sink: String) {
    with { $0.sink = sink }
    fire(\.moved)
  }
  /// Tells whoever has subscribed of a change.
  func tellOfChange() {
    run {
      guard let subscriber = box.withLock({ $0.state.subscriber }) else { return }
      subscriber.callback(
        nil, PA_SUBSCRIPTION_EVENT_CHANGE, 1, UnsafeMutableRawPointer(bitPattern: subscriber.userdata))
    }
  }
  /// Fires all timers of at least `delay` seconds, and at most `limit`.
  func fireTimers(atLeast delay: Double, atMost limit: Double = .infinity) {
    run {
      let due = box.withLock {
        $0.state.timers.filter { (delay...limit).contains(Double($0.value.delay) / 1e6) }
      }
      for (event, timer) in due {
        timer.callback(
          nil, OpaquePointer(bitPattern: event), nil, UnsafeMutableRawPointer(bitPattern: timer.userdata))
      }
    }
  }
  func setTiming(read: Int64, write: Int64, sinkMicroseconds: UInt64, playing: Bool) {
    var info = pa_timing_info()
    let now = wallClock()
    info.timestamp = timeval(tv_sec: Int(now / 1_000_000), tv_usec: Int(now % 1_000_000))
    info.read_index = read * 8
    info.write_index = write * 8
    info.sink_usec = sinkMicroseconds
    info.playing = playing ? 1 : 0
    let copy = info
    box.withLock { $0.state.timing = copy }
  }

  // MARK: PulseCalls

  func mainloopNew() -> OpaquePointer? {
    if with({ $0.refusesLoop }) { return nil }
    return make("mainloopNew") { $0.loops.insert($1) }
  }
  func mainloopStart(_ loop: OpaquePointer) -> Int32 { 0 }
  func mainloopStop(_ loop: OpaquePointer) { note("mainloopStop") }
  func mainloopFree(_ loop: OpaquePointer) { note("mainloopFree") { $0.loops.remove(number(loop)) } }
  func mainloopLock(_ loop: OpaquePointer) {
    with { if !$0.loops.contains(number(loop)) { $0.locksOfFreedLoops += 1 } }
    loopLock.lock()
  }
  func mainloopUnlock(_ loop: OpaquePointer) { loopLock.unlock() }
  func mainloopInThread(_ loop: OpaquePointer) -> Bool {
    with { $0.inThread.contains(UInt64(pthread_self())) }
  }
  func deferNew(
    _ loop: OpaquePointer, _ callback: @escaping pa_defer_event_cb_t, _ userdata: UnsafeMutableRawPointer?
  ) -> OpaquePointer? { make("deferNew") { $0.deferred[$1] = (callback, number(userdata), false) } }
  func deferEnable(_ loop: OpaquePointer, _ event: OpaquePointer, _ enabled: Bool) {
    box.withLock { $0.state.deferred[number(event)]?.isEnabled = enabled }
  }
  func deferFree(_ loop: OpaquePointer, _ event: OpaquePointer) {
    note("deferFree") { $0.deferred[number(event)] = nil }
  }
  func timerNew(
    _ context: OpaquePointer, delay: pa_usec_t, _ callback: @escaping pa_time_event_cb_t,
    _ userdata: UnsafeMutableRawPointer?
  ) -> OpaquePointer? { make("timerNew") { $0.timers[$1] = (callback, number(userdata), delay) } }
  func timerFree(_ loop: OpaquePointer, _ event: OpaquePointer) {
    note("timerFree") { $0.timers[number(event)] = nil }
  }
  func contextNew(_ loop: OpaquePointer, name: String, properties: [(key: String, value: String)])
    -> OpaquePointer?
  {
    make("contextNew") {
      $0.contexts.insert($1)
      $0.contextState = PA_CONTEXT_CONNECTING
    }
  }
  func contextSetStateCallback(
    _ context: OpaquePointer, _ callback: pa_context_notify_cb_t?, _ userdata: UnsafeMutableRawPointer?
  ) { box.withLock { $0.state.contextCallback = callback.map { ($0, number(userdata)) } } }
  func contextConnect(_ context: OpaquePointer, server: String?, flags: pa_context_flags_t) -> Int32 {
    note("contextConnect \(server ?? "default") \(flags.rawValue)")
    return with { $0.refusesConnection } ? -1 : 0
  }
  func contextGetState(_ context: OpaquePointer) -> pa_context_state_t {
    box.withLock { $0.state.contextState }
  }
  func contextErrno(_ context: OpaquePointer) -> Int32 { with { $0.contextError } }
  func contextDisconnect(_ context: OpaquePointer) { note("contextDisconnect") }
  func contextUnref(_ context: OpaquePointer) { note("contextUnref") { $0.contexts.remove(number(context)) } }
  func contextSetSinkInputVolume(_ context: OpaquePointer, index: UInt32, volume: pa_cvolume)
    -> OpaquePointer?
  {
    box.withLock { $0.state.volumes.append(volume.values.0) }
    return operation("setVolume")
  }
  func contextMoveSinkInput(
    _ context: OpaquePointer, index: UInt32, sink: String, _ callback: @escaping pa_context_success_cb_t,
    _ userdata: UnsafeMutableRawPointer?
  ) -> OpaquePointer? {
    guard let result = operation("move \(sink)") else { return nil }
    box.withLock { $0.state.moveAnswers[number(result)] = (sink, callback, number(userdata)) }
    return result
  }
  func contextGetIndex(_ context: OpaquePointer) -> UInt32 { 3 }
  func contextSetSubscribeCallback(
    _ context: OpaquePointer, _ callback: pa_context_subscribe_cb_t?, _ userdata: UnsafeMutableRawPointer?
  ) { box.withLock { $0.state.subscriber = callback.map { ($0, number(userdata)) } } }
  func contextSubscribe(_ context: OpaquePointer, _ mask: pa_subscription_mask_t) -> OpaquePointer? {
    operation("subscribe")
  }
  func contextGetSinkInputs(
    _ context: OpaquePointer, _ callback: @escaping pa_sink_input_info_cb_t,
    _ userdata: UnsafeMutableRawPointer?
  ) -> OpaquePointer? {
    guard let result = operation("getSinkInputs") else { return nil }
    box.withLock { $0.state.sinkInputAnswers[number(result)] = (callback, number(userdata)) }
    return result
  }
  func contextGetSink(
    _ context: OpaquePointer, name: String, _ callback: @escaping pa_sink_info_cb_t,
    _ userdata: UnsafeMutableRawPointer?
  ) -> OpaquePointer? {
    guard let result = operation("getSink \(name)") else { return nil }
    box.withLock { $0.state.sinkAnswers[number(result)] = (callback, number(userdata)) }
    return result
  }
  func contextGetSinks(
    _ context: OpaquePointer, _ callback: @escaping pa_sink_info_cb_t, _ userdata: UnsafeMutableRawPointer?
  ) -> OpaquePointer? {
    guard let result = operation("getSinks") else { return nil }
    box.withLock { $0.state.sinkListAnswers[number(result)] = (callback, number(userdata)) }
    return result
  }
  func errorText(_ code: Int32) -> String { "scripted error \(code)" }
  func streamNew(
    _ context: OpaquePointer, name: String, spec: pa_sample_spec, properties: [(key: String, value: String)]
  ) -> OpaquePointer? {
    if with({ $0.refusesStream }) { return nil }
    return make("streamNew") {
      $0.streams.insert($1)
      $0.streamState = PA_STREAM_CREATING
    }
  }
  func streamSetCallbacks(
    _ stream: OpaquePointer, _ callbacks: PulseStreamCallbacks?, _ userdata: UnsafeMutableRawPointer?
  ) {
    note(callbacks == nil ? "callbacks off" : "callbacks on") {
      $0.callbacks = callbacks
      $0.streamUserdata = number(userdata)
    }
  }
  func streamConnectPlayback(
    _ stream: OpaquePointer, sink: String?, attributes: pa_buffer_attr, flags: pa_stream_flags_t,
    volume: pa_cvolume
  ) -> Int32 {
    note("connectPlayback corked=\(flags.rawValue & PA_STREAM_START_CORKED.rawValue != 0)") {
      $0.attributes = attributes
      $0.connectedSink = sink
      $0.volumes.append(volume.values.0)
      if $0.refusesPlayback { $0.streamState = PA_STREAM_UNCONNECTED }
    }
    return with { $0.refusesPlayback } ? -3 : 0
  }
  func streamDisconnect(_ stream: OpaquePointer) -> Int32 {
    note("streamDisconnect")
    return 0
  }
  func streamUnref(_ stream: OpaquePointer) { note("streamUnref") { $0.streams.remove(number(stream)) } }
  func streamGetState(_ stream: OpaquePointer) -> pa_stream_state_t { box.withLock { $0.state.streamState } }
  func streamGetIndex(_ stream: OpaquePointer) -> UInt32 { 7 }
  func streamGetDeviceName(_ stream: OpaquePointer) -> String? { with { $0.sink } }
  func streamIsSuspended(_ stream: OpaquePointer) -> Bool { with { $0.isSuspended } }
  func streamWritableSize(_ stream: OpaquePointer) -> Int { with { $0.writable } }
  func streamBeginWrite(_ stream: OpaquePointer, bytes: inout Int) -> UnsafeMutableRawPointer? {
    bytes = min(bytes, with { $0.blockSize })
    let memory = UnsafeMutableRawPointer.allocate(byteCount: max(bytes, 8), alignment: 16)
    box.withLock { $0.state.memory = number(memory) }
    return memory
  }
  private func freeMemory() {
    let address = box.withLock { box in
      defer { box.state.memory = 0 }
      return box.state.memory
    }
    UnsafeMutableRawPointer(bitPattern: address)?.deallocate()
  }
  func streamCancelWrite(_ stream: OpaquePointer) -> Int32 {
    freeMemory()
    return 0
  }
  func streamWrite(_ stream: OpaquePointer, _ data: UnsafeRawPointer, bytes: Int, offset: Int64) -> Int32 {
    freeMemory()
    note("write \(bytes / 8)") {
      $0.writable = max(0, $0.writable - bytes - Int(offset))
      $0.writtenBytes += bytes
    }
    return 0
  }
  func streamCork(_ stream: OpaquePointer, _ corked: Bool) -> OpaquePointer? {
    operation(corked ? "cork" : "uncork")
  }
  func streamFlush(_ stream: OpaquePointer) -> OpaquePointer? { operation("flush") }
  func streamDrain(
    _ stream: OpaquePointer, _ callback: pa_stream_success_cb_t?, _ userdata: UnsafeMutableRawPointer?
  ) -> OpaquePointer? {
    guard let result = operation("drain") else { return nil }
    box.withLock { $0.state.drainAnswers[number(result)] = (callback, number(userdata)) }
    return result
  }
  func streamUpdateTimingInfo(
    _ stream: OpaquePointer, _ callback: pa_stream_success_cb_t?, _ userdata: UnsafeMutableRawPointer?
  ) -> OpaquePointer? {
    guard let result = operation("updateTiming") else { return nil }
    box.withLock { $0.state.timingAnswers[number(result)] = (callback, number(userdata)) }
    return result
  }
  func streamGetTimingInfo(_ stream: OpaquePointer) -> pa_timing_info? { box.withLock { $0.state.timing } }
  func operationCancel(_ operation: OpaquePointer) {
    note("cancel") {
      $0.timingAnswers[number(operation)] = nil
      $0.drainAnswers[number(operation)] = nil
      $0.sinkInputAnswers[number(operation)] = nil
      $0.sinkAnswers[number(operation)] = nil
      $0.sinkListAnswers[number(operation)] = nil
      $0.moveAnswers[number(operation)] = nil
    }
  }
  func operationUnref(_ operation: OpaquePointer) {
    box.withLock { _ = $0.state.operations.remove(number(operation)) }
  }
  func wallClock() -> Int64 { with { $0.wallClock } }
}

extension ScriptedPulse {
  /// A stream of `device` on a server that is there at once.
  func open(
    _ device: PulseDevice, _ log: StreamLog, _ source: RampSource = RampSource(available: 0),
    started: Bool = true
  ) -> any AudioOutputStream {
    let stream = device.makeStream(
      format: PCMFormat(sampleRate: 44100, channelCount: 2), source: source, events: log.handler)
    if started { stream.start() }
    setContext(PA_CONTEXT_READY)
    setStream(PA_STREAM_READY)
    return stream
  }
}
