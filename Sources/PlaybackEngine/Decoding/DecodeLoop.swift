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
  /// The output waits for data and there is some, or the end was reached.
  func kickOutput()
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
    var decoder: (any AudioDecoder)?
    var item: ItemID?
    var format: PCMFormat?
    var origin: Int64 = 0
    var offset: Int64 = 0
    var generation: UInt64 = 0
  }

  private let state = Mutex(State())
  /// Where the conductor puts the ring of a new stream, so that it never waits for a file that is being read.
  private let newRing = Mutex<Ring?>(nil)
  private let host: @Sendable () -> (any DecodingHost)?

  init(host: @escaping @Sendable () -> (any DecodingHost)?) { self.host = host }

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
      switch host.mutate({ $0.nextDecodeOrder() }) {
      case .idle(let isAtEnd):
        if let renderer = state.ring?.renderer, renderer.setProducerAtEnd(isAtEnd), isAtEnd {
          host.kickOutput()
        }
        return .whenSignalled
      case .open(let item, let source, let start, let generation):
        open(item, source: source, start: start, generation: generation, state: &state, host: host)
        return .again
      case .decode(let item, let generation, let end, let stream):
        guard state.ring?.stream == stream else { return .whenSignalled }
        return decode(item, generation: generation, end: end, state: &state, host: host)
      }
    }
  }

  private func open(
    _ item: ItemID, source: any MediaSource, start: EngineMachine.DecodeStart, generation: UInt64,
    state: inout State, host: any DecodingHost
  ) {
    do throws(DecodingError) {
      var isAtStart = false
      if state.decoder == nil || state.item != item {
        state.decoder = nil
        state.decoder = try source.makeDecoder()
        isAtStart = true
        state.item = item
        state.format = nil
      }
      guard let decoder = state.decoder else { return }
      let info = ItemInfo(format: decoder.format, frameCount: decoder.frameCount)
      guard let format = host.mutate({ $0.decoderOpened(item, info: info, generation: generation) }) else {
        return
      }
      host.signalConductor()
      if state.format != format {
        if state.format != nil {
          // A decoder's format is fixed once: the stream was opened anew with another.
          state.decoder = nil
          state.decoder = try source.makeDecoder()
          isAtStart = true
        }
        guard let decoder = state.decoder else { return }
        try decoder.setOutputFormat(format)
        state.format = format
      }
      let asked =
        switch start {
        case .frame(let frame): frame
        case .seconds(let seconds): Int64((seconds * Double(info.format.sampleRate)).rounded())
        }
      guard let positioned = state.decoder else { return }
      let frame = isAtStart && asked == 0 ? 0 : try positioned.seek(toFrame: asked)
      state.origin = frame
      state.offset = 0
      state.generation = generation
      host.mutate { $0.decoderPositioned(item, frame: frame, asked: asked, generation: generation) }
    } catch {
      state.decoder = nil
      let now = host.clock.now
      host.mutate { $0.decoderFailed(item, error: error, generation: generation, now: now) }
      host.signalConductor()
    }
  }

  private func decode(
    _ item: ItemID, generation: UInt64, end: Double?, state: inout State, host: any DecodingHost
  ) -> WorkerNext {
    guard let decoder = state.decoder, state.item == item, state.generation == generation,
      let format = state.format, let renderer = state.ring?.renderer
    else { return .whenSignalled }
    _ = renderer.setProducerAtEnd(false)
    guard let region = state.ring?.producer.writableRegion, !region.isEmpty else {
      if renderer.isWaitingForData { host.kickOutput() }
      return .whenSignalled
    }
    var frames = min(region.count / format.channelCount, Self.slice)
    var isCut = false
    if let end {
      let start = Double(state.origin) / Double(decoder.format.sampleRate)
      let left = ((end - start) * Double(format.sampleRate)).rounded() - Double(state.offset)
      if left <= Double(frames) {
        frames = Int(max(0, left))
        isCut = true
      }
    }
    var chunk = Chunk(
      generation: generation, item: item, origin: state.origin, offset: state.offset, frameCount: 0)
    var failure: DecodingError?
    do throws(DecodingError) {
      let part = UnsafeMutableBufferPointer(rebasing: region[..<(frames * format.channelCount)])
      chunk.frameCount = frames == 0 ? 0 : try decoder.read(into: part)
      // Only nothing at all is the end: a short read may be followed by the error that made it short.
      if chunk.frameCount == 0 || isCut && chunk.frameCount == frames { chunk.ending = .end }
    } catch {
      failure = error
      chunk.ending = .failure
    }
    state.offset += Int64(chunk.frameCount)
    if chunk.ending != .none {
      let frameCount = decoder.frameCount
      host.mutate {
        $0.decoderFinished(item, frameCount: frameCount, failure: failure, generation: generation)
      }
      if failure != nil { state.decoder = nil }
    }
    state.ring?.producer.commit(chunk)
    if renderer.isWaitingForData { host.kickOutput() }
    return .again
  }
}
