import AudioCore
import MediaTime
import Synchronization

/// The decode worker's body: opens what the machine orders, fills the ring, reports back.
///
/// Everything in `State` belongs to the worker alone; the lock stands for that and is never waited for, except when
/// the conductor hands over a new ring.
final class DecodeLoop: Sendable {
  /// Frames decoded between two looks at the machine: a seek waits for at most this much (0.19 s of sound, below a
  /// millisecond of work).
  static let slice = 8192

  private struct State: ~Copyable {
    var decoder: (any AudioDecoder)?
    var item: ItemID = 0
    var format: PCMFormat?
    var origin: Int64 = 0
    var offset: Int64 = 0
    var generation: UInt64 = 0
  }

  private struct Ring: ~Copyable {
    var producer: RingProducer
    let renderer: Renderer
  }

  private let state = Mutex(State())
  private let ring = Mutex<Ring?>(nil)
  private let core: @Sendable () -> EngineCore?

  init(core: @escaping @Sendable () -> EngineCore?) { self.core = core }

  /// Takes over the ring of a new stream; the old one is dropped.
  func adopt(_ producer: consuming sending RingProducer, renderer: Renderer) {
    let new = Ring(producer: producer, renderer: renderer)
    replaceRing(with: new)
  }

  private func replaceRing(with new: consuming sending Ring) {
    var new: Ring? = new
    ring.withLock { ring in
      ring = new.take()
    }
  }

  /// One step. Runs on the decode worker.
  func run() -> WorkerNext {
    guard let core = core() else { return .whenSignalled }
    switch core.mutate({ $0.nextDecodeOrder() }) {
    case .idle(let isAtEnd):
      setAtEnd(isAtEnd, core: core)
      return .whenSignalled
    case .open(let item, let source, let start, let generation):
      open(item, source: source, start: start, generation: generation, core: core)
      return .again
    case .decode(let item, let generation, let end):
      return decode(item, generation: generation, end: end, core: core)
    }
  }

  private func setAtEnd(_ isAtEnd: Bool, core: EngineCore) {
    ring.withLock { ring in
      guard let renderer = ring?.renderer else { return }
      if renderer.setProducerAtEnd(isAtEnd), isAtEnd { core.kickOutput() }
    }
  }

  private func open(
    _ item: ItemID, source: any MediaSource, start: EngineMachine.DecodeStart, generation: UInt64,
    core: EngineCore
  ) {
    state.withLock { state in
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
        guard let format = core.mutate({ $0.decoderOpened(item, info: info, generation: generation) }) else {
          return
        }
        core.signalConductor()
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
        let frame =
          switch start {
          case .frame(let frame): frame
          case .seconds(let seconds): Int64((seconds * Double(info.format.sampleRate)).rounded())
          }
        guard let positioned = state.decoder else { return }
        state.origin = isAtStart && frame == 0 ? 0 : try positioned.seek(toFrame: frame)
        state.offset = 0
        state.generation = generation
        core.mutate { $0.decoderPositioned(generation: generation) }
      } catch {
        state.decoder = nil
        let now = core.clock.now
        core.mutate { $0.decoderFailed(item, error: error, generation: generation, now: now) }
        core.signalConductor()
      }
    }
  }

  private func decode(_ item: ItemID, generation: UInt64, end: Double?, core: EngineCore) -> WorkerNext {
    state.withLock { state in
      guard let decoder = state.decoder, state.item == item, state.generation == generation,
        let format = state.format
      else { return .whenSignalled }
      return ring.withLock { ring in
        guard ring != nil, let renderer = ring?.renderer else { return .whenSignalled }
        _ = renderer.setProducerAtEnd(false)
        guard let region = ring?.producer.writableRegion, !region.isEmpty else {
          if renderer.isWaitingForData { core.kickOutput() }
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
          core.mutate {
            $0.decoderFinished(item, frameCount: frameCount, failure: failure, generation: generation)
          }
          if failure != nil { state.decoder = nil }
        }
        ring?.producer.commit(chunk)
        if renderer.isWaitingForData { core.kickOutput() }
        return .again
      }
    }
  }
}
