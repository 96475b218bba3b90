import AudioCore
import HostTime

extension DecodeLoop {
  /// Opens the next item ahead of its turn if it is remote.
  func openAhead(_ state: inout State, host: any DecodingHost) {
    guard let next = host.mutate({ $0.itemToOpenAhead() }) else {
      state.ahead = nil
      return
    }
    guard next.id != state.item else { return }
    if state.ahead?.item != next.id {
      let opening = next.source.open { [host = self.host] in host()?.signalDecoder() }
      state.ahead = Ahead(item: next.id, opening: opening)
    }
    do throws(DecodingError) {
      guard let decoder = try state.ahead?.opening?.proceed() else { return }
      decoder.setReadAhead(.beginning)
      // Holding a live stream keeps its content from being outdated when its turn comes.
      decoder.hold(true)
      state.ahead = Ahead(item: next.id, decoder: decoder)
      let info = ItemInfo(decoder)
      host.mutate { $0.openedAhead(next.id, info: info) }
    } catch {
      state.ahead = Ahead(item: next.id)
      host.mutate { $0.failedAhead(next.id, error: error) }
    }
    host.signalConductor()
  }

  func open(
    _ item: ItemID, source: any MediaSource, start: EngineMachine.DecodeStart, generation: UInt64,
    state: inout State, host: any DecodingHost
  ) -> WorkerNext {
    do throws(DecodingError) {
      if state.item != item || state.decoder == nil && state.opening == nil {
        begin(item, source: source, state: &state)
      }
      guard let decoder = try opened(&state) else { return .whenSignalled }
      let info = ItemInfo(decoder)
      guard let format = host.mutate({ $0.decoderOpened(item, info: info, generation: generation) }) else {
        return .again
      }
      host.signalConductor()
      if let known = state.format, known != format {
        // A decoder's output format can be set only once, and the stream was reopened with another format.
        begin(item, source: source, state: &state)
        return .again
      }
      if state.format == nil {
        try decoder.setOutputFormat(format)
        state.format = format
      }
      let asked =
        switch start {
        case .frame(let frame): frame
        case .seconds(let seconds), .exactSeconds(let seconds):
          Int64((seconds * Double(info.format.sampleRate)).rounded())
        }
      let isExact = if case .exactSeconds = start { true } else { false }
      if !(state.isAtStart && asked == 0) {
        state.isAtStart = false
        state.isPlaced = false
        guard let frame = try decoder.seek(toFrame: asked, isExact: isExact) else { return .whenSignalled }
        state.origin = frame
      } else {
        state.origin = 0
      }
      state.offset = 0
      state.isBegun = false
      state.isPlaced = true
      let frame = state.origin
      let isNew = state.generation != generation
      state.generation = generation
      let replacement = host.mutate { machine in
        machine.decoderPositioned(item, frame: frame, asked: asked, generation: generation)
        return machine.replacement
      }
      tellSupply(&state, isPlaced: true, host: host)
      if isNew { prepareReplacement(replacement.flatMap { $0.generation == generation ? $0 : nil }, &state) }
    } catch {
      state.opening = nil
      state.decoder = nil
      let now = host.clock.now
      host.mutate { $0.decoderFailed(item, error: error, generation: generation, now: now) }
      host.signalConductor()
    }
    return .again
  }

  /// Releases the decoder and resets its state, because its item has left the queue.
  func close(_ state: inout State) {
    state.opening = nil
    state.decoder = nil
    state.format = nil
    state.levels = nil
    state.isPlaced = false
    state.isSupplied = false
    state.supplyTold = nil
    state.isAwaited = false
    state.isHeld = false
    state.extentTold = nil
    state.isExtentFinal = false
    state.readAhead = .usual
    state.item = nil
  }

  func hold(_ isHeld: Bool, _ state: inout State) {
    guard let decoder = state.decoder, isHeld != state.isHeld else { return }
    state.isHeld = isHeld
    decoder.hold(isHeld)
  }

  /// Starts opening `item` and releases the previous decoder.
  private func begin(_ item: ItemID, source: any MediaSource, state: inout State) {
    close(&state)
    let ahead = state.ahead.flatMap { $0.item == item ? $0 : nil }
    state.ahead = nil
    state.decoder = ahead?.decoder
    state.decoder?.setReadAhead(.usual)
    state.isHeld = state.decoder != nil
    state.isAtStart = true
    if state.decoder == nil {
      state.opening = ahead?.opening ?? source.open { [host] in host()?.signalDecoder() }
    }
    state.item = item
  }

  /// Returns the decoder; nil while bytes needed to open it are missing.
  private func opened(_ state: inout State) throws(DecodingError) -> (any AudioDecoder)? {
    if let decoder = state.decoder { return decoder }
    guard let decoder = try state.opening?.proceed() else { return nil }
    state.opening = nil
    state.decoder = decoder
    state.isAtStart = true
    return decoder
  }

  /// Prepares the first chunk of this generation to replace frames that the output holds, with a crossfade if
  /// possible.
  private func prepareReplacement(_ replacement: EngineMachine.Replacement?, _ state: inout State) {
    state.streamFrame = replacement?.frame
    state.fading = nil
    state.fadesSource = false
    guard let run = replacement?.replaced, let format = state.format else { return }
    if run.speed == 1 {
      state.fadesSource = true
    } else if let old = state.history?.frames(behind: run, limit: Self.fadeFrames(format)) {
      state.fading = FadingSound(old, channelCount: format.channelCount)
    }
  }
}
