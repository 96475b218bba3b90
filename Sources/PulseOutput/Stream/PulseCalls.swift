import CPulse

/// libpulse as this module uses it: one method per call, nothing added, so that a test can play the server.
///
/// Handles are libpulse's own pointers, results its own codes (negative: an error), callbacks its own C functions
/// with a user-data pointer. `LivePulseCalls` is the library; the tests have a scripted one. Unless said otherwise
/// the caller holds the main loop's lock.
protocol PulseCalls: AnyObject, Sendable {
  // MARK: Main loop

  /// A main loop with a thread of its own; nil if the process is out of descriptors or memory. No lock.
  func mainloopNew() -> OpaquePointer?
  /// Starts the thread. No lock.
  func mainloopStart(_ loop: OpaquePointer) -> Int32
  /// Ends the thread and waits for it. Neither with the lock nor on that thread: either would wait for ever.
  func mainloopStop(_ loop: OpaquePointer)
  /// Frees a stopped loop. No lock.
  func mainloopFree(_ loop: OpaquePointer)
  /// Takes the recursive lock. Aborts the process on the loop's own thread: ask `mainloopInThread` first.
  func mainloopLock(_ loop: OpaquePointer)
  /// Gives the lock back.
  func mainloopUnlock(_ loop: OpaquePointer)
  /// Whether the caller is the loop's thread (which holds the lock in all callbacks). No lock.
  func mainloopInThread(_ loop: OpaquePointer) -> Bool

  // MARK: Deferred work and timers of the loop

  /// A deferred event, disabled. While enabled its callback runs at each turn of the loop.
  func deferNew(
    _ loop: OpaquePointer, _ callback: @escaping pa_defer_event_cb_t, _ userdata: UnsafeMutableRawPointer?
  )
    -> OpaquePointer?
  /// Enables (and wakes the loop) or disables a deferred event.
  func deferEnable(_ loop: OpaquePointer, _ event: OpaquePointer, _ enabled: Bool)
  /// Frees a deferred event.
  func deferFree(_ loop: OpaquePointer, _ event: OpaquePointer)
  /// A timer that fires once, `delay` microseconds from now.
  func timerNew(
    _ context: OpaquePointer, delay: pa_usec_t, _ callback: @escaping pa_time_event_cb_t,
    _ userdata: UnsafeMutableRawPointer?
  ) -> OpaquePointer?
  /// Frees a timer, fired or not.
  func timerFree(_ loop: OpaquePointer, _ event: OpaquePointer)

  // MARK: Context

  /// A context that tells the server `properties`.
  func contextNew(_ loop: OpaquePointer, name: String, properties: [(key: String, value: String)])
    -> OpaquePointer?
  /// Sets or clears the state callback.
  func contextSetStateCallback(
    _ context: OpaquePointer, _ callback: pa_context_notify_cb_t?, _ userdata: UnsafeMutableRawPointer?)
  /// Begins to connect; nil: libpulse's own choice of server.
  func contextConnect(_ context: OpaquePointer, server: String?, flags: pa_context_flags_t) -> Int32
  /// The context's state.
  func contextGetState(_ context: OpaquePointer) -> pa_context_state_t
  /// The code of the last error.
  func contextErrno(_ context: OpaquePointer) -> Int32
  /// Ends the connection.
  func contextDisconnect(_ context: OpaquePointer)
  /// Gives the reference back.
  func contextUnref(_ context: OpaquePointer)
  /// Sets the volume of a stream by its server index.
  func contextSetSinkInputVolume(_ context: OpaquePointer, index: UInt32, volume: pa_cvolume)
    -> OpaquePointer?
  /// The number that the server knows the context's client by.
  func contextGetIndex(_ context: OpaquePointer) -> UInt32
  /// Sets or clears the callback for what was subscribed to.
  func contextSetSubscribeCallback(
    _ context: OpaquePointer, _ callback: pa_context_subscribe_cb_t?, _ userdata: UnsafeMutableRawPointer?)
  /// Asks to be told of changes of those kinds.
  func contextSubscribe(_ context: OpaquePointer, _ mask: pa_subscription_mask_t) -> OpaquePointer?
  /// Asks for all streams that play on the server: the callback runs for each, and at the end without one.
  func contextGetSinkInputs(
    _ context: OpaquePointer, _ callback: @escaping pa_sink_input_info_cb_t,
    _ userdata: UnsafeMutableRawPointer?
  ) -> OpaquePointer?
  /// Asks for a sink: the callback runs for it, and at the end, or on an error, without one.
  func contextGetSink(
    _ context: OpaquePointer, name: String, _ callback: @escaping pa_sink_info_cb_t,
    _ userdata: UnsafeMutableRawPointer?
  ) -> OpaquePointer?
  /// Asks for all sinks: the callback runs for each, and at the end, or on an error, without one.
  func contextGetSinks(
    _ context: OpaquePointer, _ callback: @escaping pa_sink_info_cb_t, _ userdata: UnsafeMutableRawPointer?
  ) -> OpaquePointer?
  /// libpulse's sentence for an error code. No lock.
  func errorText(_ code: Int32) -> String

  // MARK: Stream

  /// A stream that is not connected yet.
  func streamNew(
    _ context: OpaquePointer, name: String, spec: pa_sample_spec, properties: [(key: String, value: String)]
  ) -> OpaquePointer?
  /// Sets all callbacks of a playback stream that this module uses, or clears them.
  func streamSetCallbacks(
    _ stream: OpaquePointer, _ callbacks: PulseStreamCallbacks?, _ userdata: UnsafeMutableRawPointer?)
  /// Begins to connect for playback; nil: the server's default sink.
  func streamConnectPlayback(
    _ stream: OpaquePointer, sink: String?, attributes: pa_buffer_attr, flags: pa_stream_flags_t,
    volume: pa_cvolume
  ) -> Int32
  /// Begins to disconnect.
  func streamDisconnect(_ stream: OpaquePointer) -> Int32
  /// Gives the reference back.
  func streamUnref(_ stream: OpaquePointer)
  /// The stream's state.
  func streamGetState(_ stream: OpaquePointer) -> pa_stream_state_t
  /// Its sink input's number; `continuo_pa_invalid_index` if it has none.
  func streamGetIndex(_ stream: OpaquePointer) -> UInt32
  /// The name of its sink.
  func streamGetDeviceName(_ stream: OpaquePointer) -> String?
  /// Whether its sink is suspended.
  func streamIsSuspended(_ stream: OpaquePointer) -> Bool
  /// Bytes that the server asks for; `Int.max` on error.
  func streamWritableSize(_ stream: OpaquePointer) -> Int
  /// Memory for the next write: its address and, in `bytes`, its size (at most the wish).
  func streamBeginWrite(_ stream: OpaquePointer, bytes: inout Int) -> UnsafeMutableRawPointer?
  /// Gives the memory back unwritten.
  func streamCancelWrite(_ stream: OpaquePointer) -> Int32
  /// Sends bytes, those of `streamBeginWrite` without a copy, to the place `offset` bytes behind the last one that was
  /// sent.
  func streamWrite(_ stream: OpaquePointer, _ data: UnsafeRawPointer, bytes: Int, offset: Int64) -> Int32
  /// Corks (stops) or uncorks (starts).
  func streamCork(_ stream: OpaquePointer, _ corked: Bool) -> OpaquePointer?
  /// Throws the server's queue away.
  func streamFlush(_ stream: OpaquePointer) -> OpaquePointer?
  /// Plays what is queued to its end, however little it is. The callback runs when the sink has taken all of it, which
  /// may be before it is heard; not while corked or suspended.
  func streamDrain(
    _ stream: OpaquePointer, _ callback: pa_stream_success_cb_t?, _ userdata: UnsafeMutableRawPointer?
  ) -> OpaquePointer?
  /// Asks for timing information; the callback runs when it is there.
  func streamUpdateTimingInfo(
    _ stream: OpaquePointer, _ callback: pa_stream_success_cb_t?, _ userdata: UnsafeMutableRawPointer?
  ) -> OpaquePointer?
  /// The latest timing information.
  func streamGetTimingInfo(_ stream: OpaquePointer) -> pa_timing_info?

  // MARK: Operations and clocks

  /// Takes an operation's callback away.
  func operationCancel(_ operation: OpaquePointer)
  /// Gives the reference back; the operation itself goes on.
  func operationUnref(_ operation: OpaquePointer)
  /// Microseconds of the wall clock, which libpulse stamps timing information with. No lock.
  func wallClock() -> Int64
}

/// The callbacks of a playback stream, as libpulse calls them on the main loop's thread.
struct PulseStreamCallbacks {
  /// The state has changed.
  var state: pa_stream_notify_cb_t?
  /// The server wants bytes.
  var write: pa_stream_request_cb_t?
  /// The server's queue has run empty.
  var underflow: pa_stream_notify_cb_t?
  /// Playback has begun, at first or after an underflow.
  var started: pa_stream_notify_cb_t?
  /// The stream plays on another sink now.
  var moved: pa_stream_notify_cb_t?
  /// The sink was suspended or resumed.
  var suspended: pa_stream_notify_cb_t?
  /// The server has changed the buffer attributes.
  var bufferAttributes: pa_stream_notify_cb_t?
  /// Timing information has arrived.
  var latency: pa_stream_notify_cb_t?
}
