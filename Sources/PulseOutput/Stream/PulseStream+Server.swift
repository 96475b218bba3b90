import AudioCore
import CPulse
import Synchronization

/// What the server says, on the main loop's thread.
extension PulseStream {
  func connectionReady(_ context: OpaquePointer) {
    guard !isDead, handle == nil else { return }
    let spec = pa_sample_spec(
      format: PA_SAMPLE_FLOAT32LE, rate: UInt32(clamping: format.sampleRate),
      channels: UInt8(clamping: format.channelCount))
    guard
      let pointer = calls.streamNew(
        context, name: configuration.streamName, spec: spec, properties: [(PA_PROP_MEDIA_ROLE, "music")])
    else {
      return fail(OutputError("libpulse refuses this format", isRecoverable: false))
    }
    handle = StreamHandle(calls: calls, pointer: pointer)
    calls.streamSetCallbacks(pointer, .ofPulseStream, userdata)
    // A stream that is to sound anyway is not corked first: one round trip less to the first sound.
    isCorked = !wantsSound
    let flags =
      PA_STREAM_ADJUST_LATENCY.rawValue | PA_STREAM_START_UNMUTED.rawValue
      | (isCorked ? PA_STREAM_START_CORKED.rawValue : 0)
    sentVolume = volume
    let result = calls.streamConnectPlayback(
      pointer, sink: configuration.sink, attributes: bufferAttributes, flags: pa_stream_flags_t(flags),
      volume: channelVolumes)
    if result < 0 {
      fail(
        OutputError("the sound server refuses the stream: \(calls.errorText(-result))", isRecoverable: true))
    }
  }

  func connectionLost(_ error: OutputError) { fail(error) }

  /// `bufferDuration` in all; of it the sink gets (tlength − 2·minreq) / 2 with ADJUST_LATENCY, in PulseAudio and in
  /// PipeWire. The rest is asked for in two parts: few wake-ups here, and a short way from the queue to the ear.
  private var bufferAttributes: pa_buffer_attr {
    func bytes(_ seconds: Double) -> UInt32 {
      UInt32(max(1, (seconds * Double(format.sampleRate)).rounded())) * UInt32(format.bytesPerFrame)
    }
    let total = max(configuration.bufferDuration, 0.01)
    let sink = min(max(configuration.sinkDuration, 0), total / 4)
    return pa_buffer_attr(
      maxlength: .max, tlength: bytes(total), prebuf: bytes(max(0, configuration.startThreshold)),
      minreq: bytes(total / 2 - sink), fragsize: .max)
  }

  var channelVolumes: pa_cvolume {
    var volumes = pa_cvolume()
    pa_cvolume_set(&volumes, UInt32(format.channelCount), volume)
    return volumes
  }

  fileprivate func stateChanged() {
    guard !isDead, let stream = handle?.pointer else { return }
    switch calls.streamGetState(stream) {
    case PA_STREAM_READY:
      opened(stream)
    case PA_STREAM_FAILED, PA_STREAM_TERMINATED:
      let reason =
        connection.contextPointer.map { calls.errorText(calls.contextErrno($0)) } ?? "connection lost"
      // A server that is there ends a stream when its sink vanishes and there is no other.
      let isServerThere =
        connection.contextPointer.map { calls.contextGetState($0) == PA_CONTEXT_READY } ?? false
      fail(
        OutputError(
          "the sound server ended the stream: \(reason)", isRecoverable: true,
          cause: isServerThere ? .device : .server))
    default:
      break
    }
  }

  private func opened(_ stream: OpaquePointer) {
    isOpen = true
    replyCame()
    isSuspended = calls.streamIsSuspended(stream)
    send(.opened(route: route(of: stream)))
    guard !isDead else { return }
    // What was set on the way here, before the first sample.
    sendVolume()
    if isSuspended { send(.suspended(true)) }
    if !isCorked, !isSuspended { release() }
    applyStart()
    completeFlushBeforeOpening()
    pull()
  }

  func route(of stream: OpaquePointer) -> String { calls.streamGetDeviceName(stream) ?? "unknown sink" }

  fileprivate func underflow() { forceOutAtEnd() }

  fileprivate func started() { if isOpen, !isCorked, !isSuspended { beginTiming() } }

  fileprivate func moved() {
    guard !isDead, let stream = handle?.pointer else { return }
    clock.withLock { $0.distrust() }
    send(.moved(route: route(of: stream)))
    suspensionChanged()
    if isOpen, !isCorked, !isSuspended { beginTiming() }
  }

  fileprivate func suspensionChanged() {
    guard isOpen, let stream = handle?.pointer else { return }
    let now = calls.streamIsSuspended(stream)
    guard now != isSuspended else { return }
    isSuspended = now
    if now {
      hold()
      askForTiming()
    } else if !isCorked {
      release()
    }
    send(.suspended(now))
    forceOutAtEnd()
  }
}

extension PulseStreamCallbacks {
  /// Those of `PulseStream`, which is their user data. The connection holds it while they are set.
  static let ofPulseStream = PulseStreamCallbacks(
    state: { _, userdata in stream(userdata)?.stateChanged() },
    write: { _, _, userdata in stream(userdata)?.pull() },
    underflow: { _, userdata in stream(userdata)?.underflow() },
    started: { _, userdata in stream(userdata)?.started() },
    moved: { _, userdata in stream(userdata)?.moved() },
    suspended: { _, userdata in stream(userdata)?.suspensionChanged() },
    bufferAttributes: { _, userdata in stream(userdata)?.pull() },
    latency: { _, userdata in stream(userdata)?.takeTiming() })

  private static func stream(_ userdata: UnsafeMutableRawPointer?) -> PulseStream? {
    userdata.map { Unmanaged<PulseStream>.fromOpaque($0).takeUnretainedValue() }
  }
}
