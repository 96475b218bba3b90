import AudioCore
import Clocks
import Synchronization

/// The decode worker's body and state: executes decode orders, fills the ring and reports results.
struct DecodeLoop: ~Copyable {
  /// The maximum number of frames decoded between two checks of the machine in real time. A seek waits at
  /// most for one slice (0.19 s of sound at 44.1 kHz, less than 1 ms of work at speed 1).
  static let slice = 8192

  /// The producing end of a stream's ring, with the renderer that reads it.
  struct Ring: ~Copyable {
    var producer: RingProducer
    let renderer: Renderer
    /// The serial number of the stream that owns the ring; frames for one stream must never reach another.
    let stream: UInt64
  }

  /// The next item, opened ahead of its turn.
  struct Ahead {
    let item: ItemID
    /// The opening in progress; nil once the decoder exists or opening has failed.
    var opening: MediaOpening?
    var decoder: (any AudioDecoder)?
  }

  /// The item being decoded, with its decoder.
  struct Medium {
    var item: ItemID?
    /// The opening in progress; nil once the decoder exists or opening has failed.
    var opening: MediaOpening?
    var decoder: (any AudioDecoder)?
    /// The output format of the decoder; nil before it was set.
    var format: PCMFormat?
    /// The ReplayGain levels of the item's tags; nil before they were needed.
    var levels: ReplayGain?
    /// Whether the decoder is still at its beginning: not read and not positioned yet.
    var isAtStart = true
    /// Whether the decoder's position equals `origin` plus `offset`.
    var isPlaced = false
    /// Whether the decoder's `hold` pauses reception, as while playback is paused or suspended.
    var isHeld = false
    var readAhead = MediaReadAhead.usual
    /// Whether the machine knows that all of the item is available.
    var isSupplied = false
    /// The time of the last supply report.
    var supplyTold: HostTime?
    /// Whether playback waited for data at the last supply report.
    var isAwaited = false
    /// The time of the last loaded-ranges report.
    var extentTold: HostTime?
    /// Whether the last loaded-ranges report was final.
    var isExtentFinal = false
  }

  var ring: Ring?
  var ahead: Ahead?
  var medium = Medium()
  var origin: Int64 = 0
  /// The number of frames read since `origin`, at the output's sample rate.
  var offset: Int64 = 0
  var generation: UInt64 = 0
  /// The time-stretched stream and its input buffer, at a speed other than 1.
  var paced: PacedSound?
  var input: [Float] = []
  /// Whether `paced` has begun the current item.
  var isBegun = false
  var history: SoundHistory?
  /// The stream frame at which the next chunk replaces rendered frames, and the old sound to fade out there.
  var streamFrame: Int64?
  var fading: FadingSound?
  /// Whether the next frames read are the old sound to fade out, after a change from speed 1 to another
  /// speed.
  var fadesSource = false

  /// Runs one decode step and returns when the next is due.
  mutating func run(for engine: PlaybackEngine) -> WorkerNext {
    let next = step(engine)
    openAhead(engine)
    guard case .whenSignalled = next else {
      tellSupply(isMidway: true, to: engine)
      return next
    }
    return tellSupply(to: engine).map { .at(engine.clock.now.advanced(bySeconds: $0)) } ?? next
  }

  /// The decoder's position in seconds of its item.
  func place(_ decoder: any AudioDecoder, _ format: PCMFormat) -> Double {
    Double(origin) / Double(decoder.format.sampleRate) + Double(offset) / Double(format.sampleRate)
  }

  private mutating func step(_ engine: PlaybackEngine) -> WorkerNext {
    if let new = engine.newRing.withLock({ $0.take() }) { ring = .some(new) }
    let item = medium.item
    let (order, generation, stream, isStanding, isGone, readAhead) = engine.mutate { machine in
      (
        machine.nextDecodeOrder(), machine.generation, machine.output.serial, machine.isStanding,
        item.map(machine.queue.contains) == false, item.flatMap { machine.queue[$0]?.readAhead }
      )
    }
    if let readAhead, readAhead != medium.readAhead, let decoder = medium.decoder {
      medium.readAhead = readAhead
      decoder.setReadAhead(readAhead)
    }
    if paced?.generation != generation { paced = nil }
    // Once the item was removed, releasing its source closes the file or ends the transfer.
    if isGone { medium = Medium() }
    if let decoder = medium.decoder, isStanding != medium.isHeld {
      medium.isHeld = isStanding
      decoder.hold(isStanding)
    }
    switch order {
    case .idle(let isAtEnd):
      if isAtEnd, paced?.isPending == true {
        return ring?.stream == stream ? drain(engine) : .whenSignalled
      }
      if ring?.renderer.setProducerAtEnd(isAtEnd) == true, isAtEnd { engine.kickOutput() }
      return .whenSignalled
    case .open(let item, let source, let start, let generation):
      let next = open(item, source: source, start: start, generation: generation, engine: engine)
      // The last frames of the item before must not wait for this one.
      guard case .whenSignalled = next, paced?.isPending == true, ring?.stream == stream else { return next }
      return drain(engine)
    case .decode(let item, let generation, let end, let pace, let volume, let stream):
      guard ring?.stream == stream, medium.decoder != nil, medium.item == item, self.generation == generation
      else { return .whenSignalled }
      return decode(item, end: end, pace: pace, volume: volume, engine: engine)
    }
  }

  private mutating func decode(
    _ item: ItemID, end: Double?, pace: Pace, volume: ItemVolume, engine: PlaybackEngine
  ) -> WorkerNext {
    guard let format = medium.format, let region = room(engine) else { return .whenSignalled }
    if pace.speed != 1 {
      if let paced = paced?.pace, paced != pace, self.paced?.isPending == true { return drain(engine) }
      return decode(item, at: pace, volume: volume, end: end, into: region, format: format, engine: engine)
    }
    // No slicing is needed if the clock guarantees no event until a later time (virtual time).
    let limit = engine.clock.quietUntil == nil ? Self.slice : .max
    guard
      let (count, ending) = read(item, into: region, limit: limit, volume: volume, end: end, engine: engine)
    else { return .whenSignalled }
    commit(
      Chunk(
        generation: generation, item: item, origin: origin, offset: offset - Int64(count),
        frameCount: count, ending: ending),
      in: region, engine: engine)
    return .again
  }

  /// Returns the ring's writable region; nil without a ring or if the ring is full.
  mutating func room(_ engine: PlaybackEngine) -> UnsafeMutableBufferPointer<Float>? {
    guard let renderer = ring?.renderer else { return nil }
    _ = renderer.setProducerAtEnd(false)
    if let region = ring?.producer.writableRegion, !region.isEmpty { return region }
    if renderer.isWaitingForData { engine.kickOutput() }
    return nil
  }

  /// Reads at most `limit` frames of the item at `volume`, and reports its end or failure to the machine.
  /// Returns nil while bytes are missing.
  mutating func read(
    _ item: ItemID, into buffer: UnsafeMutableBufferPointer<Float>, limit: Int, volume: ItemVolume,
    end: Double?, engine: PlaybackEngine
  ) -> (count: Int, ending: Chunk.Ending)? {
    guard let decoder = medium.decoder, let format = medium.format else { return (0, .none) }
    medium.isAtStart = false
    var frames = min(buffer.count / format.channelCount, limit)
    var isCut = false
    if let end {
      let start = Double(origin) / Double(decoder.format.sampleRate)
      let left = ((end - start) * Double(format.sampleRate)).rounded() - Double(offset)
      if left <= Double(frames) {
        frames = Int(max(0, left))
        isCut = true
      }
    }
    var count = 0
    var ending = Chunk.Ending.none
    var failure: DecodingError?
    do throws(DecodingError) {
      let part = UnsafeMutableBufferPointer(rebasing: buffer[..<(frames * format.channelCount)])
      switch frames == 0 ? .end : try decoder.read(into: part) {
      case .frames(let read):
        count = read
        if isCut, count == frames { ending = .end }
      case .end: ending = .end
      case .waiting: return nil
      }
    } catch {
      failure = error
      ending = .failure
    }
    let generation = generation
    if count > 0 {
      let start = place(decoder, format)
      volume.apply(
        to: UnsafeMutableBufferPointer(rebasing: buffer[..<(count * format.channelCount)]), format: format,
        from: start
      ) { levels(of: item, decoder, engine: engine) }
      let end = start + Double(count) / Double(format.sampleRate)
      let bitRate = decoder.takeBitRate()
      engine.mutate { $0.decoded(item, from: start, to: end, bitRate: bitRate, generation: generation) }
    }
    offset += Int64(count)
    let tags = decoder.takeTags()
    if !tags.isEmpty { engine.mutate { $0.decoderFound(tags, in: item, generation: generation) } }
    if ending != .none {
      let frameCount = decoder.frameCount
      engine.mutate {
        $0.decoderFinished(item, frameCount: frameCount, failure: failure, generation: generation)
      }
      if failure != nil { medium.decoder = nil }
    }
    return (count, ending)
  }

  /// Returns the ReplayGain levels of the item's tags, which are read once. Unreadable tags count as no
  /// levels, because only the decoder decides whether the medium is playable.
  private mutating func levels(
    of item: ItemID, _ decoder: any AudioDecoder, engine: PlaybackEngine
  ) -> ReplayGain {
    if let levels = medium.levels { return levels }
    let levels = (try? decoder.readReplayGain()) ?? ReplayGain()
    medium.levels = levels
    if !levels.ignored.isEmpty { engine.mutate { $0.emit(.replayGainIgnored(item, levels.ignored)) } }
    return levels
  }

  /// Commits the frames at the start of `region` to the ring.
  mutating func commit(
    _ chunk: Chunk, in region: UnsafeMutableBufferPointer<Float>, engine: PlaybackEngine
  ) {
    var chunk = chunk
    fading?.mix(into: region, frames: chunk.frameCount)
    if fading?.isOver == true { fading = nil }
    if chunk.speed == 1 { history = nil } else { history?.append(region, of: chunk) }
    chunk.streamFrame = streamFrame.take()
    ring?.producer.commit(chunk)
    if chunk.streamFrame != nil {
      engine.mutate { $0.output.needsReplacing = true }
      engine.signalConductor()
    }
    if ring?.renderer.isWaitingForData == true { engine.kickOutput() }
  }
}

// Reports of the available data.
extension DecodeLoop {
  /// The interval between buffer checks in seconds while playback waits for data.
  static let supplyInterval = 0.1
  /// The interval between buffer checks in seconds while playback does not wait, for reports to the
  /// application.
  static let idleSupplyInterval = 0.25

  /// Reports the media available after the read position to the machine. Returns the seconds until the next
  /// check; nil if none is due before the next decode step.
  ///
  /// `isPlaced`: whether the decoder was just positioned. `isMidway`: whether more slices follow within
  /// milliseconds. Such reports are throttled to `supplyInterval` unless playback waits for data.
  @discardableResult
  mutating func tellSupply(
    isPlaced: Bool = false, isMidway: Bool = false, to engine: PlaybackEngine
  ) -> Double? {
    guard medium.isPlaced, !medium.isSupplied || isPlaced, let decoder = medium.decoder,
      let item = medium.item, let format = medium.format
    else { return nil }
    let now = engine.clock.now
    if isMidway, !medium.isAwaited, let told = medium.supplyTold,
      now.seconds(since: told) < Self.supplyInterval
    {
      return nil
    }
    let supply = decoder.supply
    medium.isSupplied = supply == .all
    let (place, generation) = (place(decoder, format), generation)
    medium.isAwaited = engine.mutate {
      $0.supplied(item, supply, place: place, isPlaced: isPlaced, generation: generation)
    }
    medium.supplyTold = now
    guard !medium.isSupplied else { return nil }
    engine.signalConductor()
    if isPlaced || !supply.isComplete { medium.isExtentFinal = false }
    let isTold = tellExtent(of: item, decoder, isFinal: supply.isComplete, at: now, to: engine)
    if medium.isAwaited { return Self.supplyInterval }
    return isTold && (supply.isComplete || supply.isFull) ? nil : Self.idleSupplyInterval
  }

  /// Reports the loaded ranges of the item, at most once every `idleSupplyInterval`. `isFinal`: whether the
  /// ranges no longer change. Returns false if the report was throttled.
  private mutating func tellExtent(
    of item: ItemID, _ decoder: any AudioDecoder, isFinal: Bool, at now: HostTime, to engine: PlaybackEngine
  ) -> Bool {
    guard !medium.isExtentFinal else { return true }
    if let told = medium.extentTold, now.seconds(since: told) < Self.idleSupplyInterval { return false }
    guard let extent = decoder.extent else { return true }
    medium.extentTold = now
    medium.isExtentFinal = isFinal
    engine.mutate { $0.learn(extent, of: item) }
    return true
  }
}
