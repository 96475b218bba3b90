import AudioCore
import HostTime
import Synchronization

/// What the decode worker needs of the engine.
protocol DecodingHost: AnyObject, Sendable {
  var clock: any HostClock { get }
  /// Changes the machine under its lock and sends out what that made due.
  @discardableResult func mutate<Result: Sendable>(_ body: (inout EngineMachine) -> Result) -> Result
  /// What is known of items changed, so that another stream may be due.
  func signalConductor()
  /// The decode worker is to look again. Short, on any thread.
  func signalDecoder()
  /// The output waits for data and there is some, or the end was reached.
  func kickOutput()
  /// There are frames that take the place of some that the output was given.
  func replaceOutput()
}

/// The decode worker's body: opens what the machine orders, fills the ring, reports back.
///
/// Everything in `State` belongs to the worker alone.
final class DecodeLoop: Sendable {
  /// Frames decoded between two looks at the machine: a seek waits for at most this much (0.19 s of sound, below a
  /// millisecond of work).
  static let slice = 8192

  /// The end of a ring that is to be filled, and what reads it.
  struct Ring: ~Copyable {
    var producer: RingProducer
    let renderer: Renderer
    /// The number of the stream that it belongs to: frames meant for one must never go to another.
    let stream: UInt64
  }

  struct State: ~Copyable {
    var ring: Ring?
    /// What is being opened, until it has become the decoder.
    var opening: MediaOpening?
    var decoder: (any AudioDecoder)?
    /// The decoder was opened and nothing was read.
    var isAtStart = false
    /// The decoder stands where `origin` and `offset` say.
    var isPlaced = false
    /// All of the item is there, and that was told.
    var isSupplied = false
    /// When it was told last what is there.
    var supplyTold: HostTime?
    /// Sound waited for more then.
    var isAwaited = false
    /// When it was told last which parts are there.
    var extentTold: HostTime?
    /// What was told then changes no more.
    var isExtentFinal = false
    var readAhead = MediaReadAhead.usual
    /// The item that follows, opened before its turn.
    var ahead: Ahead?
    /// The decoder was told that the player stands still.
    var isHeld = false
    var item: ItemID?
    var format: PCMFormat?
    var origin: Int64 = 0
    /// Frames of the output's rate that were read since `origin`.
    var offset: Int64 = 0
    var generation: UInt64 = 0
    /// What passes at another speed than 1, and what is between it and the decoder.
    var paced: PacedSound?
    var input: [Float] = []
    /// `paced` knows of the item.
    var isBegun = false
    var history: SoundHistory?
    /// Where the next chunk belongs in the stream, if it takes the place of other frames; and what was there.
    var streamFrame: Int64?
    var fading: FadingSound?
    /// What was there is what is read next.
    var fadesSource = false
  }

  struct Ahead {
    let item: ItemID
    /// Nil once it is open.
    var opening: MediaOpening?
    var decoder: (any AudioDecoder)?
  }

  private let state = WorkerState(State())
  /// Where the conductor puts the ring of a new stream, so that it never waits for a file that is being read.
  private let newRing = Mutex<Ring?>(nil)
  let host: @Sendable () -> (any DecodingHost)?
  let stretching: (any TimeStretching)?

  init(stretching: (any TimeStretching)?, host: @escaping @Sendable () -> (any DecodingHost)?) {
    self.stretching = stretching
    self.host = host
  }

  /// Takes over the ring of a new stream; the worker must be signalled. The old one is dropped.
  func adopt(_ producer: consuming sending RingProducer, renderer: Renderer, stream: UInt64) {
    var new: Ring? = Ring(producer: producer, renderer: renderer, stream: stream)
    // A ring that the worker has not taken ends here, without the lock.
    newRing.withLock { swap(&$0, &new) }
  }

  /// One step. Runs on the decode worker.
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

  /// Where the decoder is, in seconds of its item.
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
    // What it comes from is let go: a file is closed, a transfer ends.
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
    case .decode(let item, let generation, let end, let pace, let stream):
      guard state.ring?.stream == stream else { return .whenSignalled }
      return decode(item, generation: generation, end: end, pace: pace, state: &state, host: host)
    }
  }

  static func fadeFrames(_ format: PCMFormat) -> Int {
    Int(FadingSound.duration * Double(format.sampleRate))
  }

  private func decode(
    _ item: ItemID, generation: UInt64, end: Double?, pace: Pace, state: inout State, host: any DecodingHost
  ) -> WorkerNext {
    guard state.decoder != nil, state.item == item, state.generation == generation, let format = state.format
    else { return .whenSignalled }
    guard let region = room(&state, host: host) else { return .whenSignalled }
    if pace.speed != 1 {
      if let paced = state.paced?.pace, paced != pace, state.paced?.isPending == true {
        return drain(&state, host: host)
      }
      return decode(item, at: pace, end: end, into: region, format: format, state: &state, host: host)
    }
    // A clock that knows that nobody seeks meanwhile lets all be decoded at once.
    let limit = host.clock.quietUntil == nil ? Self.slice : .max
    guard
      let (count, ending) = read(item, into: region, limit: limit, end: end, state: &state, host: host)
    else { return .whenSignalled }
    commit(
      Chunk(
        generation: generation, item: item, origin: state.origin, offset: state.offset - Int64(count),
        frameCount: count, ending: ending),
      in: region, state: &state, host: host)
    return .again
  }

  /// Room for the next frames in the ring; nil if there is none.
  func room(_ state: inout State, host: any DecodingHost) -> UnsafeMutableBufferPointer<Float>? {
    guard let renderer = state.ring?.renderer else { return nil }
    _ = renderer.setProducerAtEnd(false)
    if let region = state.ring?.producer.writableRegion, !region.isEmpty { return region }
    if renderer.isWaitingForData { host.kickOutput() }
    return nil
  }

  /// Reads the next frames of the item, at most `limit`, and tells the machine if they are the last ones. Nil while bytes
  /// are missing.
  func read(
    _ item: ItemID, into buffer: UnsafeMutableBufferPointer<Float>, limit: Int, end: Double?,
    state: inout State, host: any DecodingHost
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

  /// Hands over the frames at the start of `region`.
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
