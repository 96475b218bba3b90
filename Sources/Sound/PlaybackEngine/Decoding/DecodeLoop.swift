import AudioCore
import HostTime
import Synchronization

/// The parts of the engine that the decode worker calls.
protocol DecodingHost: AnyObject, Sendable {
  var clock: any HostClock { get }
  /// Changes the machine under its lock and sends out the resulting deliveries.
  @discardableResult func mutate<Result: Sendable>(_ body: (inout EngineMachine) -> Result) -> Result
  /// Signals the conductor after a change of item information, which may require another stream.
  func signalConductor()
  /// Signals the decode worker to check for work. Returns quickly; thread-safe.
  func signalDecoder()
  /// Notifies the waiting output that frames are available or the end was reached.
  func kickOutput()
  /// Notifies the output that the ring holds replacements for frames it already took.
  func replaceOutput()
}

/// The decode worker's body: executes the machine's decode orders, fills the ring and reports results.
///
/// Only the worker accesses `State`.
final class DecodeLoop: Sendable {
  /// The number of frames decoded between two checks of the machine. A seek waits at most for one slice (0.19
  /// s of sound, less than 1 ms of work).
  static let slice = 8192

  /// The producing end of a stream's ring, with the renderer that reads it.
  struct Ring: ~Copyable {
    var producer: RingProducer
    let renderer: Renderer
    /// The serial number of the stream that owns the ring; frames for one stream must never reach another.
    let stream: UInt64
  }

  struct State: ~Copyable {
    var ring: Ring?
    /// The opening in progress; nil once the decoder exists.
    var opening: MediaOpening?
    var decoder: (any AudioDecoder)?
    /// Whether the decoder is open and no frame has been read yet.
    var isAtStart = false
    /// Whether the decoder's position equals `origin` plus `offset`.
    var isPlaced = false
    /// Whether the machine knows that all of the item is available.
    var isSupplied = false
    /// The time of the last supply report.
    var supplyTold: HostTime?
    /// Whether sound waited for data at the last supply report.
    var isAwaited = false
    /// The time of the last loaded-ranges report.
    var extentTold: HostTime?
    /// Whether the last loaded-ranges report was final.
    var isExtentFinal = false
    var readAhead = MediaReadAhead.usual
    /// The next item, opened ahead of its turn.
    var ahead: Ahead?
    /// Whether the decoder is held because playback is paused or suspended.
    var isHeld = false
    var item: ItemID?
    var format: PCMFormat?
    /// The ReplayGain levels of the item's tags; nil before they were needed.
    var levels: ReplayGain?
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
    /// The stream frame at which the next chunk replaces rendered frames, and the old sound to fade out
    /// there.
    var streamFrame: Int64?
    var fading: FadingSound?
    /// Whether the next frames read are themselves the old sound to fade out (a change away from speed 1).
    var fadesSource = false
  }

  struct Ahead {
    let item: ItemID
    /// The opening in progress; nil once the decoder exists.
    var opening: MediaOpening?
    var decoder: (any AudioDecoder)?
  }

  private let state = WorkerState(State())
  /// The mailbox for a new stream's ring, so that the conductor never waits for a file read in progress.
  private let newRing = Mutex<Ring?>(nil)
  let host: @Sendable () -> (any DecodingHost)?
  let stretching: (any TimeStretching)?

  init(stretching: (any TimeStretching)?, host: @escaping @Sendable () -> (any DecodingHost)?) {
    self.stretching = stretching
    self.host = host
  }

  /// Takes over the ring of a new stream and drops the previous one. The caller must signal the worker.
  func adopt(_ producer: consuming sending RingProducer, renderer: Renderer, stream: UInt64) {
    var new: Ring? = Ring(producer: producer, renderer: renderer, stream: stream)
    // A ring that the worker never took is released here, outside the lock.
    newRing.withLock { swap(&$0, &new) }
  }

  /// Runs one decode step on the decode worker.
  func run() -> WorkerNext {
    guard let host = host() else { return .whenSignalled }
    return state.use { state in
      let next = step(&state, host: host)
      openAhead(&state, host: host)
      let isMidway = if case .again = next { true } else { false }
      guard let interval = tellSupply(&state, isMidway: isMidway, host: host), case .whenSignalled = next
      else {
        return next
      }
      return .at(host.clock.now.advanced(bySeconds: interval))
    }
  }

  /// The decoder's position in seconds of its item.
  func place(_ state: borrowing State, _ decoder: any AudioDecoder, _ format: PCMFormat) -> Double {
    Double(state.origin) / Double(decoder.format.sampleRate) + Double(state.offset)
      / Double(format.sampleRate)
  }

  private func step(_ state: inout State, host: any DecodingHost) -> WorkerNext {
    if let new = newRing.withLock({ $0.take() }) { state.ring = .some(new) }
    let item = state.item
    let (order, generation, stream, isStanding, isGone, readAhead) = host.mutate { machine in
      (
        machine.nextDecodeOrder(), machine.generation, machine.output.serial, machine.isStanding,
        item.map(machine.queue.contains) == false, item.flatMap { machine.queue[$0]?.readAhead }
      )
    }
    if let readAhead, readAhead != state.readAhead, let decoder = state.decoder {
      state.readAhead = readAhead
      decoder.setReadAhead(readAhead)
    }
    if state.paced?.generation != generation { state.paced = nil }
    // Removal of the item releases its source: closes the file or ends the transfer.
    if isGone { close(&state) }
    hold(isStanding, &state)
    switch order {
    case .idle(let isAtEnd):
      if isAtEnd, state.paced?.isPending == true {
        return state.ring?.stream == stream ? drain(&state, host: host) : .whenSignalled
      }
      if let renderer = state.ring?.renderer, renderer.setProducerAtEnd(isAtEnd), isAtEnd {
        host.kickOutput()
      }
      return .whenSignalled
    case .open(let item, let source, let start, let generation):
      return open(
        item, source: source, start: start, generation: generation, state: &state, host: host)
    case .decode(let item, let generation, let end, let pace, let volume, let stream):
      guard state.ring?.stream == stream else { return .whenSignalled }
      return decode(
        item, generation: generation, end: end, pace: pace, volume: volume, state: &state, host: host)
    }
  }

  static func fadeFrames(_ format: PCMFormat) -> Int {
    Int(FadingSound.duration * Double(format.sampleRate))
  }

  private func decode(
    _ item: ItemID, generation: UInt64, end: Double?, pace: Pace, volume: ItemVolume, state: inout State,
    host: any DecodingHost
  ) -> WorkerNext {
    guard state.decoder != nil, state.item == item, state.generation == generation, let format = state.format
    else { return .whenSignalled }
    guard let region = room(&state, host: host) else { return .whenSignalled }
    if pace.speed != 1 {
      if let paced = state.paced?.pace, paced != pace, state.paced?.isPending == true {
        return drain(&state, host: host)
      }
      return decode(
        item, at: pace, volume: volume, end: end, into: region, format: format, state: &state, host: host)
    }
    // If the clock guarantees no event until a later time (virtual time), no slicing is needed: decode all at
    // once.
    let limit = host.clock.quietUntil == nil ? Self.slice : .max
    guard
      let (count, ending) = read(
        item, into: region, limit: limit, volume: volume, end: end, state: &state, host: host)
    else { return .whenSignalled }
    commit(
      Chunk(
        generation: generation, item: item, origin: state.origin, offset: state.offset - Int64(count),
        frameCount: count, ending: ending),
      in: region, state: &state, host: host)
    return .again
  }

  /// Returns the ring's writable region; nil if the ring is full.
  func room(_ state: inout State, host: any DecodingHost) -> UnsafeMutableBufferPointer<Float>? {
    guard let renderer = state.ring?.renderer else { return nil }
    _ = renderer.setProducerAtEnd(false)
    if let region = state.ring?.producer.writableRegion, !region.isEmpty { return region }
    if renderer.isWaitingForData { host.kickOutput() }
    return nil
  }

  /// Reads at most `limit` frames of the item at `volume`, and reports its end or failure to the machine. Returns nil
  /// while bytes are missing.
  func read(
    _ item: ItemID, into buffer: UnsafeMutableBufferPointer<Float>, limit: Int, volume: ItemVolume,
    end: Double?, state: inout State, host: any DecodingHost
  ) -> (count: Int, ending: Chunk.Ending)? {
    guard let decoder = state.decoder, let format = state.format else { return (0, .none) }
    state.isAtStart = false
    var frames = min(buffer.count / format.channelCount, limit)
    var isCut = false
    if let end {
      let start = Double(state.origin) / Double(decoder.format.sampleRate)
      let left = ((end - start) * Double(format.sampleRate)).rounded() - Double(state.offset)
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
    if count > 0 {
      let start = place(state, decoder, format)
      volume.apply(
        to: UnsafeMutableBufferPointer(rebasing: buffer[..<(count * format.channelCount)]), format: format,
        from: start
      ) { levels(of: item, decoder, &state, host: host) }
      let end = start + Double(count) / Double(format.sampleRate)
      let (bitRate, generation) = (decoder.takeBitRate(), state.generation)
      host.mutate { $0.decoded(item, from: start, to: end, bitRate: bitRate, generation: generation) }
    }
    state.offset += Int64(count)
    let tags = decoder.takeTags()
    if !tags.isEmpty {
      let generation = state.generation
      host.mutate { $0.decoderFound(tags, in: item, generation: generation) }
    }
    if ending != .none {
      let frameCount = decoder.frameCount
      let generation = state.generation
      host.mutate {
        $0.decoderFinished(item, frameCount: frameCount, failure: failure, generation: generation)
      }
      if failure != nil { state.decoder = nil }
    }
    return (count, ending)
  }

  /// Returns the ReplayGain levels of the item's tags, which are read once. Unreadable tags count as no levels:
  /// only the decoder decides whether the medium is playable.
  private func levels(
    of item: ItemID, _ decoder: any AudioDecoder, _ state: inout State, host: any DecodingHost
  ) -> ReplayGain {
    if let levels = state.levels { return levels }
    let levels = (try? decoder.readReplayGain()) ?? ReplayGain()
    state.levels = levels
    if !levels.ignored.isEmpty { host.mutate { $0.emit(.replayGainIgnored(item, levels.ignored)) } }
    return levels
  }

  /// Commits the frames at the start of `region` to the ring.
  func commit(
    _ chunk: Chunk, in region: UnsafeMutableBufferPointer<Float>, state: inout State, host: any DecodingHost
  ) {
    var chunk = chunk
    state.fading?.mix(into: region, frames: chunk.frameCount)
    if state.fading?.isOver == true { state.fading = nil }
    if chunk.speed == 1 { state.history = nil } else { state.history?.append(region, of: chunk) }
    chunk.streamFrame = state.streamFrame.take()
    state.ring?.producer.commit(chunk)
    if chunk.streamFrame != nil { host.replaceOutput() }
    if state.ring?.renderer.isWaitingForData == true { host.kickOutput() }
  }
}
