import CPulse

/// The libpulse functions that this module uses, except the arithmetic of volumes: a method for each, so that
/// tests can simulate the server.
///
/// Handles are libpulse's pointers, and results are its codes, which are negative for errors. Callbacks are C
/// functions with a user-data pointer. `LivePulseCalls` calls the library; the tests use a scripted
/// implementation. Unless stated otherwise, the caller must hold the main loop's lock.
protocol PulseCalls: AnyObject, Sendable {
  /// The reason why libpulse cannot be used, for a person; nil if it can.
  var unavailability: String? { get }

  // MARK: Main loop

  /// Creates a main loop with its own thread; nil if libpulse cannot be used, or if the process is out of
  /// descriptors or memory. No lock.
  func mainloopNew() -> OpaquePointer?
  /// Starts the thread. No lock.
  func mainloopStart(_ loop: OpaquePointer) -> Int32
  /// Ends the thread and waits for it. Call neither with the lock nor on that thread: both would deadlock.
  func mainloopStop(_ loop: OpaquePointer)
  /// Frees a stopped loop. No lock.
  func mainloopFree(_ loop: OpaquePointer)
  /// Takes the recursive lock. Aborts the process on the loop's own thread: check `mainloopInThread` first.
  func mainloopLock(_ loop: OpaquePointer)
  func mainloopUnlock(_ loop: OpaquePointer)
  /// Whether the caller is on the loop's thread (which holds the lock in all callbacks). No lock.
  func mainloopInThread(_ loop: OpaquePointer) -> Bool

  // MARK: Deferred work and timers of the loop

  /// Creates a disabled deferred event. While enabled, its callback runs at each iteration of the loop.
  func deferNew(
    _ loop: OpaquePointer, _ callback: @escaping pa_defer_event_cb_t, _ userdata: UnsafeMutableRawPointer?
  ) -> OpaquePointer?
  /// Enables (and wakes the loop) or disables a deferred event.
  func deferEnable(_ loop: OpaquePointer, _ event: OpaquePointer, _ enabled: Bool)
  func deferFree(_ loop: OpaquePointer, _ event: OpaquePointer)
  /// Creates a timer that fires once, `delay` microseconds from now.
  func timerNew(
    _ context: OpaquePointer, delay: pa_usec_t, _ callback: @escaping pa_time_event_cb_t,
    _ userdata: UnsafeMutableRawPointer?
  ) -> OpaquePointer?
  /// Frees a timer, whether it has fired or not.
  func timerFree(_ loop: OpaquePointer, _ event: OpaquePointer)

  // MARK: Context

  /// Creates a context whose client has `properties` on the server.
  func contextNew(_ loop: OpaquePointer, name: String, properties: PulseProperties) -> OpaquePointer?
  func contextSetStateCallback(
    _ context: OpaquePointer, _ callback: pa_context_notify_cb_t?, _ userdata: UnsafeMutableRawPointer?)
  /// Starts connecting to `server`, or for nil to libpulse's default server.
  func contextConnect(_ context: OpaquePointer, server: String?, flags: pa_context_flags_t) -> Int32
  func contextGetState(_ context: OpaquePointer) -> pa_context_state_t
  func contextErrno(_ context: OpaquePointer) -> Int32
  func contextDisconnect(_ context: OpaquePointer)
  func contextUnref(_ context: OpaquePointer)
  /// Sets the volume of a stream by its server index.
  func contextSetSinkInputVolume(_ context: OpaquePointer, index: UInt32, volume: pa_cvolume)
    -> OpaquePointer?
  /// Moves a stream to another sink. The callback runs when it has been moved, or could not be.
  func contextMoveSinkInput(
    _ context: OpaquePointer, index: UInt32, sink: String, _ callback: @escaping pa_context_success_cb_t,
    _ userdata: UnsafeMutableRawPointer?
  ) -> OpaquePointer?
  func contextGetIndex(_ context: OpaquePointer) -> UInt32
  func contextSetSubscribeCallback(
    _ context: OpaquePointer, _ callback: pa_context_subscribe_cb_t?, _ userdata: UnsafeMutableRawPointer?)
  func contextSubscribe(_ context: OpaquePointer, _ mask: pa_subscription_mask_t) -> OpaquePointer?
  /// Requests all playback streams on the server. The callback runs for each, and once with nil at the end or
  /// on an error.
  func contextGetSinkInputs(
    _ context: OpaquePointer, _ callback: @escaping pa_sink_input_info_cb_t,
    _ userdata: UnsafeMutableRawPointer?
  ) -> OpaquePointer?
  /// Requests a sink. The callback runs for the sink, and once with nil at the end or on an error.
  func contextGetSink(
    _ context: OpaquePointer, name: String, _ callback: @escaping pa_sink_info_cb_t,
    _ userdata: UnsafeMutableRawPointer?
  ) -> OpaquePointer?
  /// Requests all sinks. The callback runs for each, and once with nil at the end or on an error.
  func contextGetSinks(
    _ context: OpaquePointer, _ callback: @escaping pa_sink_info_cb_t, _ userdata: UnsafeMutableRawPointer?
  ) -> OpaquePointer?
  /// Returns libpulse's text for an error code. No lock.
  func errorText(_ code: Int32) -> String

  // MARK: Stream

  /// Creates a stream that is not connected yet.
  func streamNew(
    _ context: OpaquePointer, name: String, spec: pa_sample_spec, properties: PulseProperties
  ) -> OpaquePointer?
  /// Sets all callbacks of a playback stream that this module uses, or clears them.
  func streamSetCallbacks(
    _ stream: OpaquePointer, _ callbacks: PulseStreamCallbacks?, _ userdata: UnsafeMutableRawPointer?)
  /// Starts connecting for playback to `sink`, or for nil to the server's default sink.
  func streamConnectPlayback(
    _ stream: OpaquePointer, sink: String?, attributes: pa_buffer_attr, flags: pa_stream_flags_t,
    volume: pa_cvolume
  ) -> Int32
  func streamDisconnect(_ stream: OpaquePointer) -> Int32
  func streamUnref(_ stream: OpaquePointer)
  func streamGetState(_ stream: OpaquePointer) -> pa_stream_state_t
  /// Returns the index of the stream's sink input; `continuo_pa_invalid_index` if none.
  func streamGetIndex(_ stream: OpaquePointer) -> UInt32
  func streamGetDeviceName(_ stream: OpaquePointer) -> String?
  func streamIsSuspended(_ stream: OpaquePointer) -> Bool
  /// Returns the number of bytes that the server requests; `Int.max` on error.
  func streamWritableSize(_ stream: OpaquePointer) -> Int
  /// Returns memory for the next write; nil on error. `bytes` is the wanted size, and after the call the actual
  /// size.
  func streamBeginWrite(_ stream: OpaquePointer, bytes: inout Int) -> UnsafeMutableRawPointer?
  /// Discards the memory of `streamBeginWrite` unwritten.
  func streamCancelWrite(_ stream: OpaquePointer) -> Int32
  /// Sends bytes, `offset` bytes after the last byte sent. Bytes in the memory of `streamBeginWrite` are not
  /// copied.
  func streamWrite(_ stream: OpaquePointer, _ data: UnsafeRawPointer, bytes: Int, offset: Int64) -> Int32
  /// Corks (stops) or uncorks (starts).
  func streamCork(_ stream: OpaquePointer, _ corked: Bool) -> OpaquePointer?
  func streamFlush(_ stream: OpaquePointer) -> OpaquePointer?
  /// Plays the queue to its end, however short. The callback runs when the sink has taken the whole queue,
  /// possibly before its end is heard; not while the stream is corked or suspended.
  func streamDrain(
    _ stream: OpaquePointer, _ callback: pa_stream_success_cb_t?, _ userdata: UnsafeMutableRawPointer?
  ) -> OpaquePointer?
  /// Requests timing information; the callback runs when it has arrived.
  func streamUpdateTimingInfo(
    _ stream: OpaquePointer, _ callback: pa_stream_success_cb_t?, _ userdata: UnsafeMutableRawPointer?
  ) -> OpaquePointer?
  func streamGetTimingInfo(_ stream: OpaquePointer) -> pa_timing_info?

  // MARK: Operations and clocks

  func operationCancel(_ operation: OpaquePointer)
  /// Releases the reference; the operation itself continues.
  func operationUnref(_ operation: OpaquePointer)
  /// Returns the wall clock in microseconds, the clock of libpulse's timing stamps. No lock.
  func wallClock() -> Int64
}

typealias PulseProperties = [(key: String, value: String)]

/// The callbacks of a playback stream, called by libpulse on the main loop's thread.
struct PulseStreamCallbacks {
  var state: pa_stream_notify_cb_t?
  /// Called when the server requests bytes.
  var write: pa_stream_request_cb_t?
  /// Called when the server's queue has underrun.
  var underflow: pa_stream_notify_cb_t?
  /// Called when playback has started, initially or after an underflow.
  var started: pa_stream_notify_cb_t?
  var moved: pa_stream_notify_cb_t?
  var suspended: pa_stream_notify_cb_t?
  var bufferAttributes: pa_stream_notify_cb_t?
  var latency: pa_stream_notify_cb_t?
}
