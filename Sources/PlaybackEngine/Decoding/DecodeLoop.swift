import AudioCore
import HostTime
import MediaTime
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
/// Everything in `State` belongs to the worker alone; the lock stands for that and is never waited for.
final class DecodeLoop: Sendable {
  /// Frames decoded between two looks at the machine: a seek waits for at most this much (0.19 s of sound, below a
  /// millisecond of work).
  static let slice = 8192

  /// The end of a ring that is to be filled, and what reads it.
  private struct Ring: ~Copyable {
    var producer: RingProducer
    let renderer: Renderer
    /// The number of the stream that it belongs to: frames meant for one must never go to another.
    let stream: UInt64
  }

  private struct State: ~Copyable {
    var ring: Ring?
    /// What is being opened, until it has become the decoder.
    var opening: MediaOpening?
    var decoder: (any AudioDecoder)?
    /// The decoder was opened and nothing was read.
    var isAtStart = false
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

  private let state = Mutex(State())
  /// Where the conductor puts the ring of a new stream, so that it never waits for a file that is being read.
  private let newRing = Mutex<Ring?>(nil)
  private let host: @Sendable () -> (any DecodingHost)?
  private let stretching: (any TimeStretching)?

  init(stretching: (any TimeStretching)?, host: @escaping @Sendable () -> (any DecodingHost)?) {
    self.stretching = stretching
    self.host = host
  }

  /// Takes over the ring of a new stream; the worker must be signalled. The old one is dropped.
  func adopt(_ producer: consuming sending RingProducer, renderer: Renderer, stream: UInt64) {
    var new: Ring? = Ring(producer: producer, renderer: renderer, stream: stream)
    newRing.withLock { $0 = new.take() }
  }

  /// One step. Runs on the decode worker.
  func run() -> WorkerNext {
    guard let host = host() else { return .whenSignalled }
    return state.withLock { state in
      if let new = newRing.withLock({ $0.take() }) { state.ring = .some(new) }
      let (order, generation, stream) = host.mutate {
        ($0.nextDecodeOrder(), $0.generation, $0.output.serial)
      }
      if state.paced?.generation != generation { state.paced = nil }
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
  }

  private func open(
    _ item: ItemID, source: any MediaSource, start: EngineMachine.DecodeStart, generation: UInt64,
    state: inout State, host: any DecodingHost
  ) -> WorkerNext {
    do throws(DecodingError) {
      if state.item != item || state.decoder == nil && state.opening == nil {
        begin(item, source: source, state: &state)
      }
      guard let decoder = try opened(&state) else { return .whenSignalled }
      let info = ItemInfo(format: decoder.format, frameCount: decoder.frameCount)
      guard let format = host.mutate({ $0.decoderOpened(item, info: info, generation: generation) }) else {
        return .again
      }
      host.signalConductor()
      if let known = state.format, known != format {
        // A decoder's format can be set once, and the stream was opened again with another.
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
        case .seconds(let seconds): Int64((seconds * Double(info.format.sampleRate)).rounded())
        }
      if !(state.isAtStart && asked == 0) {
        state.isAtStart = false
        guard let frame = try decoder.seek(toFrame: asked) else { return .whenSignalled }
        state.origin = frame
      } else {
        state.origin = 0
      }
      state.offset = 0
      state.isBegun = false
      let frame = state.origin
      let isNew = state.generation != generation
      state.generation = generation
      let replacement = host.mutate { machine in
        machine.decoderPositioned(item, frame: frame, asked: asked, generation: generation)
        return machine.replacement
      }
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

  /// Begins to open `item`, in place of what was open.
  private func begin(_ item: ItemID, source: any MediaSource, state: inout State) {
    state.decoder = nil
    state.format = nil
    state.item = item
    state.opening = source.open { [host] in host()?.signalDecoder() }
  }

  /// The decoder; nil while bytes are missing to open it.
  private func opened(_ state: inout State) throws(DecodingError) -> (any AudioDecoder)? {
    if let decoder = state.decoder { return decoder }
    guard let decoder = try state.opening?.proceed() else { return nil }
    state.opening = nil
    state.decoder = decoder
    state.isAtStart = true
    return decoder
  }

  /// The first frames of this generation take the place of others, or of nothing.
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

  private static func fadeFrames(_ format: PCMFormat) -> Int {
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
    guard
      let (count, ending) = read(item, into: region, limit: Self.slice, end: end, state: &state, host: host)
    else { return .whenSignalled }
    commit(
      Chunk(
        generation: generation, item: item, origin: state.origin, offset: state.offset - Int64(count),
        frameCount: count, ending: ending),
      in: region, state: &state, host: host)
    return .again
  }

  /// Room for the next frames in the ring; nil if there is none.
  private func room(_ state: inout State, host: any DecodingHost) -> UnsafeMutableBufferPointer<Float>? {
    guard let renderer = state.ring?.renderer else { return nil }
    _ = renderer.setProducerAtEnd(false)
    if let region = state.ring?.producer.writableRegion, !region.isEmpty { return region }
    if renderer.isWaitingForData { host.kickOutput() }
    return nil
  }

  /// Reads the next frames of the item, at most `limit`, and tells the machine if they are the last ones. Nil while bytes
  /// are missing.
  private func read(
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
    state.offset += Int64(count)
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
  private func commit(
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

  // MARK: At another speed than 1

  /// A step: hands over what the stretcher has, or gives it more.
  private func decode(
    _ item: ItemID, at pace: Pace, end: Double?, into region: UnsafeMutableBufferPointer<Float>,
    format: PCMFormat, state: inout State, host: any DecodingHost
  ) -> WorkerNext {
    if state.paced?.pace != pace {
      do throws(TimeStretchError) {
        guard let stretching else { throw TimeStretchError("no means to play at other rates than 1") }
        state.paced = try PacedSound(
          generation: state.generation, pace: pace, format: format, stretching: stretching)
      } catch {
        let (now, generation) = (host.clock.now, state.generation)
        let failure = DecodingError(reason: .unusable, message: error.message)
        host.mutate { $0.decoderFailed(item, error: failure, generation: generation, now: now) }
        host.signalConductor()
        return .again
      }
      if state.history == nil { state.history = SoundHistory(channelCount: format.channelCount) }
    }
    if !state.isBegun {
      state.isBegun = true
      state.paced?.begin(item, origin: state.origin)
    }
    if handOver(into: region, format: format, state: &state, host: host) { return .again }
    // What comes out of it is not to be more than a slice either.
    let limit = min(Self.slice, max(Self.slice / 64, Int(Double(Self.slice) * pace.speed)))
    var input: [Float] = []
    swap(&input, &state.input)
    if input.count != Self.slice * format.channelCount {
      input = [Float](repeating: 0, count: Self.slice * format.channelCount)
    }
    let isWaiting = input.withUnsafeMutableBufferPointer { buffer in
      guard let (count, ending) = read(item, into: buffer, limit: limit, end: end, state: &state, host: host)
      else { return true }
      let frames = UnsafeBufferPointer(rebasing: buffer[..<(count * format.channelCount)])
      if state.fadesSource, count > 0 {
        state.fadesSource = false
        state.fading = FadingSound(
          Array(frames.prefix(Self.fadeFrames(format) * format.channelCount)),
          channelCount: format.channelCount)
      }
      if count > 0 { state.paced?.put(frames) }
      if ending != .none { state.paced?.end(ending) }
      return false
    }
    swap(&input, &state.input)
    return isWaiting ? .whenSignalled : .again
  }

  /// Hands over what has come out. Returns whether there was anything.
  private func handOver(
    into region: UnsafeMutableBufferPointer<Float>, format: PCMFormat, state: inout State,
    host: any DecodingHost
  ) -> Bool {
    let part = UnsafeMutableBufferPointer(
      rebasing: region[..<min(region.count, Self.slice * format.channelCount)])
    guard let chunk = state.paced?.receive(into: part) else { return false }
    commit(chunk, in: part, state: &state, host: host)
    return true
  }

  /// Nothing follows, or something at another pace: a step of what the stretcher still holds.
  private func drain(_ state: inout State, host: any DecodingHost) -> WorkerNext {
    guard let format = state.format, let region = room(&state, host: host) else { return .whenSignalled }
    if !handOver(into: region, format: format, state: &state, host: host) { state.paced?.putSilence() }
    if state.paced?.isPending == false { state.paced = nil }
    return .again
  }
}
