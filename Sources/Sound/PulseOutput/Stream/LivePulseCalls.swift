import CPulse
import Glibc
import Synchronization
import SystemSupport

/// The implementation that calls libpulse; other files call only its arithmetic of volumes. Most methods call the
/// libpulse function of their name; some do more before or after the call.
///
/// The library is opened with the first device, because it loads twenty more libraries: 5 million instructions
/// and 2.5 MB that clients and programs without a sound server need not pay for. Unchecked, because code
/// addresses are imported without Sendable; they never change.
final class LivePulseCalls: PulseCalls, @unchecked Sendable {
  /// The library's functions; some or all are nil if it is unavailable, in which case there is no main loop,
  /// and no other method is called.
  private let pulse: continuo_pulse
  let unavailability: String?

  /// Opens the library. Blocks on the disk.
  init() {
    var functions = continuo_pulse()
    do throws(DynamicLibrary.Problem) {
      let library = try DynamicLibrary(["libpulse.so.0"], prefix: "pa_")
      try library.findAll { continuo_pulse_find(&functions, $0) }
      unavailability = nil
    } catch {
      let need = "sound output needs libpulse (Debian's package libpulse0)"
      unavailability = error.text(need: need, library: "libpulse")
    }
    pulse = functions
  }

  func mainloopNew() -> OpaquePointer? {
    guard unavailability == nil, let loop = pulse.threaded_mainloop_new() else { return nil }
    if let api = pulse.threaded_mainloop_get_api(loop) { Self.registerSockets(of: api) }
    return loop
  }
  func mainloopStart(_ loop: OpaquePointer) -> Int32 {
    // The name, at most 15 bytes, appears in `top -H`. It is set before the start, because after it
    // PulseAudio 16.1 names the calling thread instead of the loop's.
    pulse.threaded_mainloop_set_name(loop, "continuo-pulse")
    return pulse.threaded_mainloop_start(loop)
  }
  func mainloopStop(_ loop: OpaquePointer) { pulse.threaded_mainloop_stop(loop) }
  func mainloopFree(_ loop: OpaquePointer) { pulse.threaded_mainloop_free(loop) }
  func mainloopLock(_ loop: OpaquePointer) { pulse.threaded_mainloop_lock(loop) }
  func mainloopUnlock(_ loop: OpaquePointer) { pulse.threaded_mainloop_unlock(loop) }
  func mainloopInThread(_ loop: OpaquePointer) -> Bool { pulse.threaded_mainloop_in_thread(loop) != 0 }

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
    guard let api = pulse.threaded_mainloop_get_api(loop),
      let event = api.pointee.defer_new(api, callback, userdata)
    else { return nil }
    api.pointee.defer_enable(event, 0)
    return event
  }
  func deferEnable(_ loop: OpaquePointer, _ event: OpaquePointer, _ enabled: Bool) {
    pulse.threaded_mainloop_get_api(loop)?.pointee.defer_enable(event, enabled ? 1 : 0)
  }
  func deferFree(_ loop: OpaquePointer, _ event: OpaquePointer) {
    pulse.threaded_mainloop_get_api(loop)?.pointee.defer_free(event)
  }
  func timerNew(
    _ context: OpaquePointer, delay: pa_usec_t, _ callback: @escaping pa_time_event_cb_t,
    _ userdata: UnsafeMutableRawPointer?
  ) -> OpaquePointer? {
    pulse.context_rttime_new(context, pulse.rtclock_now() + delay, callback, userdata)
  }
  func timerFree(_ loop: OpaquePointer, _ event: OpaquePointer) {
    pulse.threaded_mainloop_get_api(loop)?.pointee.time_free(event)
  }

  func contextNew(_ loop: OpaquePointer, name: String, properties: PulseProperties) -> OpaquePointer? {
    withPropertyList(properties) { list in
      pulse.context_new_with_proplist(pulse.threaded_mainloop_get_api(loop), name, list)
    }
  }
  func contextSetStateCallback(
    _ context: OpaquePointer, _ callback: pa_context_notify_cb_t?, _ userdata: UnsafeMutableRawPointer?
  ) { pulse.context_set_state_callback(context, callback, userdata) }
  func contextConnect(_ context: OpaquePointer, server: String?, flags: pa_context_flags_t) -> Int32 {
    pulse.context_connect(context, server, flags, nil)
  }
  func contextGetState(_ context: OpaquePointer) -> pa_context_state_t { pulse.context_get_state(context) }
  func contextErrno(_ context: OpaquePointer) -> Int32 { pulse.context_errno(context) }
  func contextDisconnect(_ context: OpaquePointer) { pulse.context_disconnect(context) }
  func contextUnref(_ context: OpaquePointer) { pulse.context_unref(context) }
  func contextSetSinkInputVolume(_ context: OpaquePointer, index: UInt32, volume: pa_cvolume)
    -> OpaquePointer?
  {
    var volume = volume
    return pulse.context_set_sink_input_volume(context, index, &volume, nil, nil)
  }
  func contextMoveSinkInput(
    _ context: OpaquePointer, index: UInt32, sink: String, _ callback: @escaping pa_context_success_cb_t,
    _ userdata: UnsafeMutableRawPointer?
  ) -> OpaquePointer? { pulse.context_move_sink_input_by_name(context, index, sink, callback, userdata) }
  func contextGetIndex(_ context: OpaquePointer) -> UInt32 { pulse.context_get_index(context) }
  func contextSetSubscribeCallback(
    _ context: OpaquePointer, _ callback: pa_context_subscribe_cb_t?, _ userdata: UnsafeMutableRawPointer?
  ) { pulse.context_set_subscribe_callback(context, callback, userdata) }
  func contextSubscribe(_ context: OpaquePointer, _ mask: pa_subscription_mask_t) -> OpaquePointer? {
    pulse.context_subscribe(context, mask, nil, nil)
  }
  func contextGetSinkInputs(
    _ context: OpaquePointer, _ callback: @escaping pa_sink_input_info_cb_t,
    _ userdata: UnsafeMutableRawPointer?
  ) -> OpaquePointer? { pulse.context_get_sink_input_info_list(context, callback, userdata) }
  func contextGetSink(
    _ context: OpaquePointer, name: String, _ callback: @escaping pa_sink_info_cb_t,
    _ userdata: UnsafeMutableRawPointer?
  ) -> OpaquePointer? { pulse.context_get_sink_info_by_name(context, name, callback, userdata) }
  func contextGetSinks(
    _ context: OpaquePointer, _ callback: @escaping pa_sink_info_cb_t, _ userdata: UnsafeMutableRawPointer?
  ) -> OpaquePointer? { pulse.context_get_sink_info_list(context, callback, userdata) }
  func errorText(_ code: Int32) -> String {
    pulse.strerror(code).map { String(cString: $0) } ?? "error \(code)"
  }

  func streamNew(
    _ context: OpaquePointer, name: String, spec: pa_sample_spec, properties: PulseProperties
  ) -> OpaquePointer? {
    var spec = spec
    var map = pa_channel_map()
    // WAVEEX instead of AUTO, because it is the channel order of decoders.
    guard pulse.channel_map_init_extend(&map, UInt32(spec.channels), PA_CHANNEL_MAP_WAVEEX) != nil else {
      return nil
    }
    return withPropertyList(properties) { list in
      pulse.stream_new_with_proplist(context, name, &spec, &map, list)
    }
  }
  func streamSetCallbacks(
    _ stream: OpaquePointer, _ callbacks: PulseStreamCallbacks?, _ userdata: UnsafeMutableRawPointer?
  ) {
    pulse.stream_set_state_callback(stream, callbacks?.state, userdata)
    pulse.stream_set_write_callback(stream, callbacks?.write, userdata)
    pulse.stream_set_underflow_callback(stream, callbacks?.underflow, userdata)
    pulse.stream_set_started_callback(stream, callbacks?.started, userdata)
    pulse.stream_set_moved_callback(stream, callbacks?.moved, userdata)
    pulse.stream_set_suspended_callback(stream, callbacks?.suspended, userdata)
    pulse.stream_set_buffer_attr_callback(stream, callbacks?.bufferAttributes, userdata)
    pulse.stream_set_latency_update_callback(stream, callbacks?.latency, userdata)
  }
  func streamConnectPlayback(
    _ stream: OpaquePointer, sink: String?, attributes: pa_buffer_attr, flags: pa_stream_flags_t,
    volume: pa_cvolume
  ) -> Int32 {
    var attributes = attributes
    var volume = volume
    return pulse.stream_connect_playback(stream, sink, &attributes, flags, &volume, nil)
  }
  func streamDisconnect(_ stream: OpaquePointer) -> Int32 { pulse.stream_disconnect(stream) }
  func streamUnref(_ stream: OpaquePointer) { pulse.stream_unref(stream) }
  func streamGetState(_ stream: OpaquePointer) -> pa_stream_state_t { pulse.stream_get_state(stream) }
  func streamGetIndex(_ stream: OpaquePointer) -> UInt32 { pulse.stream_get_index(stream) }
  func streamGetDeviceName(_ stream: OpaquePointer) -> String? {
    pulse.stream_get_device_name(stream).map { String(cString: $0) }
  }
  func streamIsSuspended(_ stream: OpaquePointer) -> Bool { pulse.stream_is_suspended(stream) == 1 }
  func streamWritableSize(_ stream: OpaquePointer) -> Int {
    // The result is (size_t) -1 on error.
    Int(exactly: pulse.stream_writable_size(stream)) ?? .max
  }
  func streamBeginWrite(_ stream: OpaquePointer, bytes: inout Int) -> UnsafeMutableRawPointer? {
    var memory: UnsafeMutableRawPointer?
    var size = bytes
    guard pulse.stream_begin_write(stream, &memory, &size) == 0 else { return nil }
    bytes = size
    return memory
  }
  func streamCancelWrite(_ stream: OpaquePointer) -> Int32 { pulse.stream_cancel_write(stream) }
  func streamWrite(_ stream: OpaquePointer, _ data: UnsafeRawPointer, bytes: Int, offset: Int64) -> Int32 {
    pulse.stream_write(stream, data, bytes, nil, offset, PA_SEEK_RELATIVE)
  }
  func streamCork(_ stream: OpaquePointer, _ corked: Bool) -> OpaquePointer? {
    pulse.stream_cork(stream, corked ? 1 : 0, nil, nil)
  }
  func streamFlush(_ stream: OpaquePointer) -> OpaquePointer? { pulse.stream_flush(stream, nil, nil) }
  func streamDrain(
    _ stream: OpaquePointer, _ callback: pa_stream_success_cb_t?, _ userdata: UnsafeMutableRawPointer?
  ) -> OpaquePointer? { pulse.stream_drain(stream, callback, userdata) }
  func streamUpdateTimingInfo(
    _ stream: OpaquePointer, _ callback: pa_stream_success_cb_t?, _ userdata: UnsafeMutableRawPointer?
  ) -> OpaquePointer? { pulse.stream_update_timing_info(stream, callback, userdata) }
  func streamGetTimingInfo(_ stream: OpaquePointer) -> pa_timing_info? {
    pulse.stream_get_timing_info(stream)?.pointee
  }

  func operationCancel(_ operation: OpaquePointer) { pulse.operation_cancel(operation) }
  func operationUnref(_ operation: OpaquePointer) { pulse.operation_unref(operation) }
  func wallClock() -> Int64 {
    var now = timeval()
    gettimeofday(&now, nil)
    return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_usec)
  }

  private func withPropertyList<R>(_ properties: PulseProperties, _ body: (OpaquePointer?) -> R) -> R {
    let list = pulse.proplist_new()
    defer { if let list { pulse.proplist_free(list) } }
    for property in properties { _ = pulse.proplist_sets(list, property.key, property.value) }
    return body(list)
  }
}
