import AudioCore
import Clocks

extension DecodeLoop {
  /// Runs one step of opening the next item ahead of its turn, if the machine requests that.
  mutating func openAhead(_ engine: PlaybackEngine) {
    let next = engine.mutate { $0.itemToOpenAhead() }
    guard let next else {
      ahead = nil
      return
    }
    guard next.id != medium.item else { return }
    if ahead?.item != next.id {
      let opening = next.source.open { [weak engine] in engine?.signalDecoder() }
      ahead = Ahead(item: next.id, opening: opening)
    }
    do throws(DecodingError) {
      guard let decoder = try ahead?.opening?.proceed() else { return }
      decoder.setReadAhead(.beginning)
      // A live stream is paused, so that it receives no data that would be outdated at the item's turn.
      decoder.hold(true)
      ahead = Ahead(item: next.id, decoder: decoder)
      let info = ItemInfo(decoder)
      engine.mutate { $0.openedAhead(next.id, info: info) }
    } catch {
      ahead = Ahead(item: next.id)
      engine.mutate { $0.failedAhead(next.id, error: error) }
    }
    engine.signalConductor()
  }

  mutating func open(
    _ item: ItemID, source: any MediaSource, start: EngineMachine.DecodeStart, generation: UInt64,
    engine: PlaybackEngine
  ) -> WorkerNext {
    do throws(DecodingError) {
      if medium.item != item || medium.decoder == nil && medium.opening == nil {
        begin(item, source: source, engine: engine)
      }
      if medium.decoder == nil { medium.decoder = try medium.opening?.proceed() }
      guard let decoder = medium.decoder else { return .whenSignalled }
      medium.opening = nil
      let info = ItemInfo(decoder)
      let format = engine.mutate { $0.decoderOpened(item, info: info, generation: generation) }
      guard let format else { return .again }
      engine.signalConductor()
      if let known = medium.format, known != format {
        // A decoder's output format can be set only once, and the stream was reopened with another format.
        begin(item, source: source, engine: engine)
        return .again
      }
      if medium.format == nil {
        try decoder.setOutputFormat(format)
        medium.format = format
      }
      let (asked, isExact) =
        switch start {
        case .frame(let frame): (frame, false)
        case .seconds(let seconds): (Int64((seconds * Double(info.format.sampleRate)).rounded()), false)
        case .exactSeconds(let seconds): (Int64((seconds * Double(info.format.sampleRate)).rounded()), true)
        }
      if medium.isAtStart && asked == 0 {
        origin = 0
      } else {
        medium.isAtStart = false
        medium.isPlaced = false
        guard let frame = try decoder.seek(toFrame: asked, isExact: isExact) else { return .whenSignalled }
        origin = frame
      }
      offset = 0
      isBegun = false
      medium.isPlaced = true
      let frame = origin
      let isNew = self.generation != generation
      self.generation = generation
      let replacement = engine.mutate { machine in
        machine.decoderPositioned(item, frame: frame, asked: asked, generation: generation)
        return machine.replacement
      }
      tellSupply(isPlaced: true, to: engine)
      if isNew { prepareReplacement(replacement.flatMap { $0.generation == generation ? $0 : nil }) }
    } catch {
      medium.opening = nil
      medium.decoder = nil
      let now = engine.clock.now
      engine.mutate { $0.decoderFailed(item, error: error, generation: generation, now: now) }
      engine.signalConductor()
    }
    return .again
  }

  /// Releases the previous decoder, and takes over the decoder or opening of `item` that was begun ahead, or starts
  /// opening the item.
  private mutating func begin(_ item: ItemID, source: any MediaSource, engine: PlaybackEngine) {
    medium = Medium(item: item)
    let ahead = ahead.take().flatMap { $0.item == item ? $0 : nil }
    if let decoder = ahead?.decoder {
      decoder.setReadAhead(.usual)
      medium.decoder = decoder
      medium.isHeld = true
    } else {
      medium.opening = ahead?.opening ?? source.open { [weak engine] in engine?.signalDecoder() }
    }
  }

  /// Prepares the first chunk of this generation to replace frames of the output, with a crossfade if
  /// possible.
  private mutating func prepareReplacement(_ replacement: EngineMachine.Replacement?) {
    streamFrame = replacement?.frame
    fading = nil
    fadesSource = false
    guard let run = replacement?.replaced, let format = medium.format else { return }
    if run.speed == 1 {
      fadesSource = true
    } else if let old = history?.frames(behind: run, limit: FadingSound.frameCount(format)) {
      fading = FadingSound(old, channelCount: format.channelCount)
    }
  }
}
