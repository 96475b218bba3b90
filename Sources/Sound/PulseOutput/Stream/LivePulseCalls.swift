import CPulse
import Glibc
import Synchronization
import SystemSupport

/// The implementation that calls libpulse; no other file does. Each method calls the function of its name.
final class LivePulseCalls: PulseCalls {
  func mainloopNew() -> OpaquePointer? {
    guard let loop = pa_threaded_mainloop_new() else { return nil }
    if let api = pa_threaded_mainloop_get_api(loop) { Self.registerSockets(of: api) }
    return loop
  }
  func mainloopStart(_ loop: OpaquePointer) -> Int32 {
    // The name, at most 15 bytes, appears in `top -H`. It is set before the start, because after it
    // PulseAudio 16.1 names the calling thread instead of the loop's.
    pa_threaded_mainloop_set_name(loop, "continuo-pulse")
    return pa_threaded_mainloop_start(loop)
  }
  func mainloopStop(_ loop: OpaquePointer) { pa_threaded_mainloop_stop(loop) }
  func mainloopFree(_ loop: OpaquePointer) { pa_threaded_mainloop_free(loop) }
  func mainloopLock(_ loop: OpaquePointer) { pa_threaded_mainloop_lock(loop) }
  func mainloopUnlock(_ loop: OpaquePointer) { pa_threaded_mainloop_unlock(loop) }
  func mainloopInThread(_ loop: OpaquePointer) -> Bool { pa_threaded_mainloop_in_thread(loop) != 0 }

  /// The libpulse function that starts to watch a descriptor. Unchecked, because a code address is imported
  /// without Sendable.
  private struct Watch: @unchecked Sendable {
    let begin:
      @convention(c) (
        UnsafeMutablePointer<pa_mainloop_api>?, Int32, pa_io_event_flags_t, pa_io_event_cb_t?,
        UnsafeMutableRawPointer?
      ) -> OpaquePointer?
  }

  /// The original function, which is the same for all loops.
  private static let watch = Mutex<Watch?>(nil)

  /// Registers each socket in `SystemSockets` when the loop starts watching it. libpulse does not expose the
  /// socket of a TCP connection, but each loop has its own function table, which can be modified.
  private static func registerSockets(of api: UnsafeMutablePointer<pa_mainloop_api>) {
    guard let begin = api.pointee.io_new else { return }
    watch.withLock { $0 = $0 ?? Watch(begin: begin) }
    api.pointee.io_new = { api, descriptor, events, callback, userdata in
      SystemSockets.register(descriptor)
      return LivePulseCalls.watch.withLock { $0 }?.begin(api, descriptor, events, callback, userdata)
    }
  }

  func deferNew(
    _ loop: OpaquePointer, _ callback: @escaping pa_defer_event_cb_t, _ userdata: UnsafeMutableRawPointer?
  ) -> OpaquePointer? {
    guard let api = pa_threaded_mainloop_get_api(loop),
      let event = api.pointee.defer_new(api, callback, userdata)
    else { return nil }
    api.pointee.defer_enable(event, 0)
    return event
  }
  func deferEnable(_ loop: OpaquePointer, _ event: OpaquePointer, _ enabled: Bool) {
    pa_threaded_mainloop_get_api(loop)?.pointee.defer_enable(event, enabled ? 1 : 0)
  }
  func deferFree(_ loop: OpaquePointer, _ event: OpaquePointer) {
    pa_threaded_mainloop_get_api(loop)?.pointee.defer_free(event)
  }
  func timerNew(
    _ context: OpaquePointer, delay: pa_usec_t, _ callback: @escaping pa_time_event_cb_t,
    _ userdata: UnsafeMutableRawPointer?
  ) -> OpaquePointer? {
    pa_context_rttime_new(context, pa_rtclock_now() + delay, callback, userdata)
  }
  func timerFree(_ loop: OpaquePointer, _ event: OpaquePointer) {
    pa_threaded_mainloop_get_api(loop)?.pointee.time_free(event)
  }

  func contextNew(_ loop: OpaquePointer, name: String, properties: PulseProperties) -> OpaquePointer? {
    withPropertyList(properties) { list in
      pa_context_new_with_proplist(pa_threaded_mainloop_get_api(loop), name, list)
    }
  }
  func contextSetStateCallback(
    _ context: OpaquePointer, _ callback: pa_context_notify_cb_t?, _ userdata: UnsafeMutableRawPointer?
  ) { pa_context_set_state_callback(context, callback, userdata) }
  func contextConnect(_ context: OpaquePointer, server: String?, flags: pa_context_flags_t) -> Int32 {
    pa_context_connect(context, server, flags, nil)
  }
  func contextGetState(_ context: OpaquePointer) -> pa_context_state_t { pa_context_get_state(context) }
  func contextErrno(_ context: OpaquePointer) -> Int32 { pa_context_errno(context) }
  func contextDisconnect(_ context: OpaquePointer) { pa_context_disconnect(context) }
  func contextUnref(_ context: OpaquePointer) { pa_context_unref(context) }
  func contextSetSinkInputVolume(_ context: OpaquePointer, index: UInt32, volume: pa_cvolume)
    -> OpaquePointer?
  {
    var volume = volume
    return pa_context_set_sink_input_volume(context, index, &volume, nil, nil)
  }
  func contextMoveSinkInput(
    _ context: OpaquePointer, index: UInt32, sink: String, _ callback: @escaping pa_context_success_cb_t,
    _ userdata: UnsafeMutableRawPointer?
  ) -> OpaquePointer? { pa_context_move_sink_input_by_name(context, index, sink, callback, userdata) }
  func contextGetIndex(_ context: OpaquePointer) -> UInt32 { pa_context_get_index(context) }
  func contextSetSubscribeCallback(
    _ context: OpaquePointer, _ callback: pa_context_subscribe_cb_t?, _ userdata: UnsafeMutableRawPointer?
  ) { pa_context_set_subscribe_callback(context, callback, userdata) }
  func contextSubscribe(_ context: OpaquePointer, _ mask: pa_subscription_mask_t) -> OpaquePointer? {
    pa_context_subscribe(context, mask, nil, nil)
  }
  func contextGetSinkInputs(
    _ context: OpaquePointer, _ callback: @escaping pa_sink_input_info_cb_t,
    _ userdata: UnsafeMutableRawPointer?
  ) -> OpaquePointer? { pa_context_get_sink_input_info_list(context, callback, userdata) }
  func contextGetSink(
    _ context: OpaquePointer, name: String, _ callback: @escaping pa_sink_info_cb_t,
    _ userdata: UnsafeMutableRawPointer?
  ) -> OpaquePointer? { pa_context_get_sink_info_by_name(context, name, callback, userdata) }
  func contextGetSinks(
    _ context: OpaquePointer, _ callback: @escaping pa_sink_info_cb_t, _ userdata: UnsafeMutableRawPointer?
  ) -> OpaquePointer? { pa_context_get_sink_info_list(context, callback, userdata) }
  func errorText(_ code: Int32) -> String { pa_strerror(code).map { String(cString: $0) } ?? "error \(code)" }

  func streamNew(
    _ context: OpaquePointer, name: String, spec: pa_sample_spec, properties: PulseProperties
  ) -> OpaquePointer? {
    var spec = spec
    var map = pa_channel_map()
    // WAVEEX instead of AUTO, because it is the channel order of decoders.
    guard pa_channel_map_init_extend(&map, UInt32(spec.channels), PA_CHANNEL_MAP_WAVEEX) != nil else {
      return nil
    }
    return withPropertyList(properties) { list in
      pa_stream_new_with_proplist(context, name, &spec, &map, list)
    }
  }
  func streamSetCallbacks(
    _ stream: OpaquePointer, _ callbacks: PulseStreamCallbacks?, _ userdata: UnsafeMutableRawPointer?
  ) {
    pa_stream_set_state_callback(stream, callbacks?.state, userdata)
    pa_stream_set_write_callback(stream, callbacks?.write, userdata)
    pa_stream_set_underflow_callback(stream, callbacks?.underflow, userdata)
    pa_stream_set_started_callback(stream, callbacks?.started, userdata)
    pa_stream_set_moved_callback(stream, callbacks?.moved, userdata)
    pa_stream_set_suspended_callback(stream, callbacks?.suspended, userdata)
    pa_stream_set_buffer_attr_callback(stream, callbacks?.bufferAttributes, userdata)
    pa_stream_set_latency_update_callback(stream, callbacks?.latency, userdata)
  }
  func streamConnectPlayback(
    _ stream: OpaquePointer, sink: String?, attributes: pa_buffer_attr, flags: pa_stream_flags_t,
    volume: pa_cvolume
  ) -> Int32 {
    var attributes = attributes
    var volume = volume
    return pa_stream_connect_playback(stream, sink, &attributes, flags, &volume, nil)
  }
  func streamDisconnect(_ stream: OpaquePointer) -> Int32 { pa_stream_disconnect(stream) }
  func streamUnref(_ stream: OpaquePointer) { pa_stream_unref(stream) }
  func streamGetState(_ stream: OpaquePointer) -> pa_stream_state_t { pa_stream_get_state(stream) }
  func streamGetIndex(_ stream: OpaquePointer) -> UInt32 { pa_stream_get_index(stream) }
  func streamGetDeviceName(_ stream: OpaquePointer) -> String? {
    pa_stream_get_device_name(stream).map { String(cString: $0) }
  }
  func streamIsSuspended(_ stream: OpaquePointer) -> Bool { pa_stream_is_suspended(stream) == 1 }
  func streamWritableSize(_ stream: OpaquePointer) -> Int {
    // The result is (size_t) -1 on error.
    Int(exactly: pa_stream_writable_size(stream)) ?? .max
  }
  func streamBeginWrite(_ stream: OpaquePointer, bytes: inout Int) -> UnsafeMutableRawPointer? {
    var memory: UnsafeMutableRawPointer?
    var size = bytes
    guard pa_stream_begin_write(stream, &memory, &size) == 0 else { return nil }
    bytes = size
    return memory
  }
  func streamCancelWrite(_ stream: OpaquePointer) -> Int32 { pa_stream_cancel_write(stream) }
  func streamWrite(_ stream: OpaquePointer, _ data: UnsafeRawPointer, bytes: Int, offset: Int64) -> Int32 {
    pa_stream_write(stream, data, bytes, nil, offset, PA_SEEK_RELATIVE)
  }
  func streamCork(_ stream: OpaquePointer, _ corked: Bool) -> OpaquePointer? {
    pa_stream_cork(stream, corked ? 1 : 0, nil, nil)
  }
  func streamFlush(_ stream: OpaquePointer) -> OpaquePointer? { pa_stream_flush(stream, nil, nil) }
  func streamDrain(
    _ stream: OpaquePointer, _ callback: pa_stream_success_cb_t?, _ userdata: UnsafeMutableRawPointer?
  ) -> OpaquePointer? { pa_stream_drain(stream, callback, userdata) }
  func streamUpdateTimingInfo(
    _ stream: OpaquePointer, _ callback: pa_stream_success_cb_t?, _ userdata: UnsafeMutableRawPointer?
  ) -> OpaquePointer? { pa_stream_update_timing_info(stream, callback, userdata) }
  func streamGetTimingInfo(_ stream: OpaquePointer) -> pa_timing_info? {
    pa_stream_get_timing_info(stream)?.pointee
  }

  func operationCancel(_ operation: OpaquePointer) { pa_operation_cancel(operation) }
  func operationUnref(_ operation: OpaquePointer) { pa_operation_unref(operation) }
  func wallClock() -> Int64 {
    var now = timeval()
    gettimeofday(&now, nil)
    return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_usec)
  }

  private func withPropertyList<R>(_ properties: PulseProperties, _ body: (OpaquePointer?) -> R) -> R {
    let list = pa_proplist_new()
    defer { if let list { pa_proplist_free(list) } }
    for property in properties { pa_proplist_sets(list, property.key, property.value) }
    return body(list)
  }
}
