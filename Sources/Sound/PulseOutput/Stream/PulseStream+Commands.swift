import AudioCore
import CPulse
import Glibc
import Synchronization

/// Commands from the engine: callable from any thread, executed under the main loop's lock.
extension PulseStream {
  func start() { setWantsSound(true) }
  func stop() { setWantsSound(false) }

  private func setWantsSound(_ wish: Bool) {
    connection.withLock {
      guard !isDead, wantsSound != wish else { return }
      wantsSound = wish
      applyStart()
    }
  }

  /// Corks or uncorks the server's stream as requested; deferred while a flush or a move is pending.
  func applyStart() {
    guard isOpen, !isFlushing, moveAnswer == nil, isCorked == wantsSound, let stream = handle?.pointer else {
      return
    }
    isCorked = !wantsSound
    if isCorked { hold() }
    if !calls.forget(calls.streamCork(stream, isCorked)) { refused() }
    if isCorked { awaitCork(stream) } else if !isSuspended { release() }
    limitDrain()
    forceOutAtEnd()
  }

  /// Requests timing information, whose answer arrives after the cork took effect.
  private func awaitCork(_ stream: OpaquePointer) {
    corkAnswer = OperationHandle(
      calls, calls.streamUpdateTimingInfo(stream, { PulseStream.from($2)?.corkAnswered() }, userdata))
  }

  fileprivate func corkAnswered() { corkAnswer = nil }

  var isStill: Bool {
    connection.withLock {
      isDead || !isOpen || isCorked && corkAnswer == nil && !isFlushing && moveAnswer == nil
    }
  }

  /// Fails the stream because libpulse refused a command: the connection is lost.
  func refused() {
    failSoon(OutputError("the connection to the sound server is gone", isRecoverable: true, cause: .server))
  }

  func replaceFrames() {
    connection.withLock {
      guard !isDead else { return }
      isReplacing = true
      pullSoon()
    }
  }

  // MARK: Flush

  func flush(completion: @escaping @Sendable (Int64) -> Void) {
    connection.withLock {
      guard !isDead else { return }
      flushCompletions.append(completion)
      guard isOpen else { return pullSoon() }
      if !isFlushing { beginFlush() }
    }
  }

  private func beginFlush() {
    guard let stream = handle?.pointer else { return }
    isFlushing = true
    forgetDrain()
    hold()
    // Corking before the flush lets a rewindable sink return the frames that it holds, and the read index
    // then gives the exact heard position. Uncorked, the sink would play silence for the frames taken.
    if !isCorked {
      isCorked = true
      calls.forget(calls.streamCork(stream, true))
    }
    calls.forget(calls.streamFlush(stream))
    // Answers arrive in order, so this answer has the indexes after the flush.
    flushAnswer = OperationHandle(
      calls,
      calls.streamUpdateTimingInfo(
        stream, { PulseStream.from($2)?.flushAnswered(success: $1 != 0) }, userdata))
    if flushAnswer == nil { refused() } else { limitReply() }
  }

  fileprivate func flushAnswered(success: Bool) {
    guard isFlushing, !isDead, let stream = handle?.pointer else { return }
    guard success, let info = calls.streamGetTimingInfo(stream) else { return refused() }
    if moveAnswer == nil { replyCame() } else { limitReply() }
    flushAnswer = nil
    isFlushing = false
    hasUnforcedFrames = false
    let base = info.read_index / Int64(format.bytesPerFrame)
    let dropped = clock.withLock { $0.flush(at: base) }
    completeFlush(dropped)
    guard !isDead else { return }
    // Sends frames before uncorking, so that the sink finds them when it starts.
    pull()
    moveToChosenSink()
    applyStart()
    send(.timingChanged)
  }

  /// Completes a flush before the stream is open. No frame was rendered, so none is dropped.
  func completeFlushBeforeOpening() {
    guard !isFlushing, !flushCompletions.isEmpty else { return }
    completeFlush(clock.withLock { $0.positions.renderedFrames })
  }

  private func completeFlush(_ dropped: Int64) {
    let completions = flushCompletions
    flushCompletions = []
    for completion in completions { completion(dropped) }
  }

  // MARK: Volume

  func setVolume(_ linear: Float, muted: Bool) {
    let isSilent = muted || !(linear > 0)
    // The scale of pa_sw_volume_from_linear.
    let level = isSilent ? 0 : (cbrt(Double(min(linear, 1))) * Double(PA_VOLUME_NORM)).rounded()
    connection.withLock {
      guard !isDead else { return }
      volume = pa_volume_t(level)
      sendVolume()
    }
  }

  func sendVolume() {
    guard volume != sentVolume, isOpen, let stream = handle?.pointer, let context = connection.contextPointer
    else { return }
    sentVolume = volume
    calls.forget(
      calls.contextSetSinkInputVolume(context, index: calls.streamGetIndex(stream), volume: channelVolumes))
  }
}
