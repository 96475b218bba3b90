import AudioCore
import CPulse
import Synchronization

/// Server events, handled on the main loop's thread.
extension PulseStream {
  /// Creates the stream. Errors are reported later, because `makeStream` may call this method.
  func connectionReady(_ context: OpaquePointer) {
    guard !isDead, handle == nil else { return }
    let spec = pa_sample_spec(
      format: PA_SAMPLE_FLOAT32LE, rate: UInt32(clamping: format.sampleRate),
      channels: UInt8(clamping: format.channelCount))
    guard
      let pointer = calls.streamNew(
        context, name: configuration.streamName, spec: spec, properties: [(PA_PROP_MEDIA_ROLE, "music")])
    else { return failSoon(OutputError("libpulse refuses this format", isRecoverable: false)) }
    handle = StreamHandle(calls: calls, pointer: pointer)
    calls.streamSetCallbacks(pointer, .ofPulseStream, userdata)
    // Starting uncorked, if sound is wanted already, saves a round trip before the first sound.
    isCorked = !wantsSound
    let flags =
      PA_STREAM_ADJUST_LATENCY.rawValue | PA_STREAM_START_UNMUTED.rawValue
      | (isCorked ? PA_STREAM_START_CORKED.rawValue : 0)
    sentVolume = volume
    let result = calls.streamConnectPlayback(
      pointer, sink: connection.sink, attributes: bufferAttributes, flags: pa_stream_flags_t(flags),
      volume: channelVolumes)
    if result < 0 {
      failSoon(
        OutputError("the sound server refuses the stream: \(calls.errorText(-result))", isRecoverable: true))
    }
  }

  func connectionLost(_ error: OutputError) { fail(error) }

  /// The buffer attributes for `bufferDuration` in total. With ADJUST_LATENCY, PulseAudio and PipeWire give
  /// the sink (tlength − 2·minreq) / 2. The rest is requested in two parts, for few wake-ups in this process
  /// and low latency from the queue to the listener.
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
    continuo_pa_volume(UInt8(clamping: format.channelCount), volume)
  }

  fileprivate func stateChanged() {
    guard !isDead, let stream = handle?.pointer else { return }
    switch calls.streamGetState(stream) {
    case PA_STREAM_READY: opened(stream)
    case PA_STREAM_FAILED, PA_STREAM_TERMINATED: ended()
    default: break
    }
  }

  /// Handles a stream that the server refused or ended.
  private func ended() {
    guard let context = connection.contextPointer, calls.contextGetState(context) == PA_CONTEXT_READY else {
      let reason =
        connection.contextPointer.map { calls.errorText(calls.contextErrno($0)) } ?? "connection lost"
      return fail(
        OutputError(
          "the sound server\(connection.place) ended the stream: \(reason)", isRecoverable: true,
          cause: .server))
    }
    let code = calls.contextErrno(context)
    if !isOpen, code == Int32(PA_ERR_NOENTITY.rawValue) { return askForSinks(context) }
    // The server ends a stream when its sink disappears and no other sink exists.
    let place = isOpen ? " to the sink \"\(route)\"" : ""
    fail(
      OutputError(
        "the sound server\(connection.place) ended the stream\(place): \(calls.errorText(code))",
        isRecoverable: true, cause: .device))
  }

  /// Requests the existing sinks, because the configured one is missing. The answer must arrive within the
  /// rest of `replyTimeout`.
  private func askForSinks(_ context: OpaquePointer) {
    sinkNames = []
    sinkAnswer = OperationHandle(
      calls,
      calls.contextGetSinks(
        context, { PulseStream.from($3)?.heardOf($1, end: $2) }, userdata))
    if sinkAnswer == nil { failWithoutSink(isKnown: false) }
  }

  /// Handles a sink of the list, the end of the list (`end` is 1), or an error (`end` is negative).
  fileprivate func heardOf(_ sink: UnsafePointer<pa_sink_info>?, end: Int32) {
    if let name = sink?.pointee.name, sinkNames.count < Self.sinkLimit {
      // The server may be untrusted, so control characters, which could break log lines, are removed.
      let scalars = String(cString: name).unicodeScalars.filter { $0.properties.generalCategory != .control }
      sinkNames.append(String(String.UnicodeScalarView(scalars)))
    }
    guard end != 0 else { return }
    sinkAnswer = nil
    failWithoutSink(isKnown: end > 0)
  }

  /// The maximum number of sinks named in a message.
  private static let sinkLimit = 16

  /// Reports the missing sink. `isKnown`: whether the list of sinks is complete.
  private func failWithoutSink(isKnown: Bool) {
    let names = sinkNames.joined(separator: ", ")
    let message =
      switch (connection.sink, sinkNames.isEmpty) {
      case (let sink?, true):
        "no sink \"\(sink)\" on the sound server\(connection.place)\(isKnown ? "; it has no sink" : "")"
      case (let sink?, false):
        "no sink \"\(sink)\" on the sound server\(connection.place); its sinks: \(names)"
      case (nil, true): "the sound server\(connection.place) has no \(isKnown ? "" : "default ")sink"
      case (nil, false): "the sound server\(connection.place) has no default sink; its sinks: \(names)"
      }
    let isRequired = configuration.requiresSink && connection.sink != nil && !connection.hasOpened
    fail(OutputError(message, isRecoverable: !isRequired, cause: .device))
  }

  private func opened(_ stream: OpaquePointer) {
    isOpen = true
    connection.hasOpened = true
    replyCame()
    isSuspended = calls.streamIsSuspended(stream)
    learnRoute(of: stream)
    send(.opened(route: route))
    guard !isDead else { return }
    // Applies settings made during opening, before the first sample.
    sendVolume()
    if isSuspended { send(.suspended(true)) }
    if !isCorked, !isSuspended { release() }
    // Another sink may have been chosen while the server created the stream.
    moveToChosenSink()
    applyStart()
    completeFlushBeforeOpening()
    pull()
  }

  /// Updates the route from libpulse, which no longer knows it after the stream has ended.
  private func learnRoute(of stream: OpaquePointer) {
    route = calls.streamGetDeviceName(stream) ?? "unknown sink"
  }

  fileprivate func started() { if isOpen, !isCorked, !isSuspended { beginTiming() } }

  fileprivate func moved() {
    guard !isDead, let stream = handle?.pointer else { return }
    clock.withLock { $0.distrust() }
    learnRoute(of: stream)
    if moveAnswer == nil { connection.streamMoved(to: route) }
    send(.moved(route: route))
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
  /// The callbacks of a `PulseStream`, which is their user data. The connection retains the stream while they
  /// are set.
  static let ofPulseStream = PulseStreamCallbacks(
    state: { PulseStream.from($1)?.stateChanged() },
    write: { PulseStream.from($2)?.pull() },
    underflow: { PulseStream.from($1)?.forceOutAtEnd() },
    started: { PulseStream.from($1)?.started() },
    moved: { PulseStream.from($1)?.moved() },
    suspended: { PulseStream.from($1)?.suspensionChanged() },
    bufferAttributes: { PulseStream.from($1)?.pull() },
    latency: { PulseStream.from($1)?.takeTiming() })
}
