import AudioCore
import Synchronization

/// The consuming end of the ring: hands decoded frames to the output and logs which ones were taken.
///
/// Each stream has its own renderer. Only the output's thread takes the lock of `consumer`, which never
/// blocks; the lock exists because Swift cannot prove that only one thread reads.
final class Renderer: RenderSource {
  let log: RenderLog
  private let consumer: Mutex<RingConsumer>
  private let channelCount: Int
  private let lowWater: Int

  /// The oldest valid generation; chunks of older ones are dropped unheard.
  private let generation: Atomic<UInt64>
  /// The frame before which rendering stops; keeps an offline output from running ahead of its observers.
  private let limit = Atomic<Int64>(.max)
  /// Whether the output received fewer frames than requested and waits for `dataAvailable`.
  private let isStarved = Atomic<Bool>(false)
  /// The frame from which on the output was refused frames, by the limit or a full log; -1 if it was not.
  private let refusedFrame = Atomic<Int64>(-1)
  private let handedOut = Atomic<Int64>(0)
  /// Whether the decoder has no frames after those in the ring.
  private let isProducerAtEnd = Atomic<Bool>(false)
  private let isRingEmpty = Atomic<Bool>(true)
  /// Silence plays until the first frames of `silentGeneration`; `soundingGeneration` is the generation of
  /// the last chunk that `render` reached.
  private let silentGeneration = Atomic<UInt64>(0)
  private let soundingGeneration = Atomic<UInt64>(0)

  /// Called when the ring is less than half full. Cheap, never blocks.
  private let wantsData: @Sendable () -> Void
  /// Called when the conductor must check again, for example after a run began or ended. Cheap, never blocks.
  private let logChanged: @Sendable () -> Void
  /// Whether each piece signals the conductor, because an offline output has no clock of its own.
  private let reportsEveryPiece: Bool

  init(
    consumer: consuming sending RingConsumer, format: PCMFormat, lowWater: Int, generation: UInt64,
    log: RenderLog, reportsEveryPiece: Bool, wantsData: @escaping @Sendable () -> Void,
    logChanged: @escaping @Sendable () -> Void
  ) {
    self.consumer = Mutex(consumer)
    channelCount = format.channelCount
    self.lowWater = lowWater
    self.generation = Atomic(generation)
    self.log = log
    self.reportsEveryPiece = reportsEveryPiece
    self.wantsData = wantsData
    self.logChanged = logChanged
  }

  /// The frame that the output gets next. Updated before the conductor is signalled.
  var nextFrame: Int64 { handedOut.load(ordering: .sequentiallyConsistent) }

  /// Raises the generation, never lowers it, so that the conductor and the output's thread may both set it.
  func setGeneration(_ value: UInt64) { generation.max(value, ordering: .acquiringAndReleasing) }
  func setLimit(_ frame: Int64) { limit.store(frame, ordering: .sequentiallyConsistent) }

  /// Returns true once if frames were refused and would now be handed out. Called by the conductor at each whole check.
  /// Each refusal signals the conductor. If only steps are due then, the whole check follows at the end of the heard run.
  func takesRefusalBack() -> Bool {
    let frame = refusedFrame.load(ordering: .sequentiallyConsistent)
    guard frame >= 0, frame < limit.load(ordering: .sequentiallyConsistent), log.hasRoom else {
      return false
    }
    return refusedFrame.compareExchange(expected: frame, desired: -1, ordering: .sequentiallyConsistent)
      .exchanged
  }

  /// Plays silence until `generation` begins. Returns whether the output must ask for frames again.
  func beSilent(upTo generation: UInt64) -> Bool {
    silentGeneration.exchange(generation, ordering: .sequentiallyConsistent) != generation && isSilent
  }

  private var isSilent: Bool {
    let silent = silentGeneration.load(ordering: .sequentiallyConsistent)
    return silent > soundingGeneration.load(ordering: .sequentiallyConsistent)
      && silent >= generation.load(ordering: .acquiring)
  }

  /// Sets whether the decoder has no frames after those in the ring. Returns whether the value changed.
  func setProducerAtEnd(_ value: Bool) -> Bool {
    isProducerAtEnd.exchange(value, ordering: .acquiringAndReleasing) != value
  }

  var isWaitingForData: Bool { isStarved.load(ordering: .sequentiallyConsistent) }

  var isAtEnd: Bool {
    isProducerAtEnd.load(ordering: .acquiring) && isRingEmpty.load(ordering: .acquiring)
  }

  var replacedFrame: Int64? {
    let (frame, available) = consumer.withLock { consumer in
      (dropOld(&consumer)?.streamFrame, consumer.availableFrames)
    }
    // A decoder may be waiting for room, because the chunks that were dropped here had filled the ring.
    if available < lowWater { wantsData() }
    return frame.flatMap { $0 < nextFrame ? $0 : nil }
  }

  /// Drops chunks of older generations; returns the next valid chunk.
  private func dropOld(_ consumer: inout RingConsumer) -> Chunk? {
    let generation = generation.load(ordering: .acquiring)
    while let chunk = consumer.peek() {
      guard chunk.generation < generation else { return chunk }
      consumer.skipChunk()
    }
    return nil
  }

  func render(into buffer: UnsafeMutableBufferPointer<Float>, firstFrame: Int64) -> Int {
    isStarved.store(false, ordering: .sequentiallyConsistent)
    refusedFrame.store(-1, ordering: .sequentiallyConsistent)
    let room = buffer.count / channelCount
    let allowed = max(0, limit.load(ordering: .sequentiallyConsistent) - firstFrame)
    let wanted = Int(min(Int64(room), allowed))
    var taken = 0
    var isRefused = false
    var changed = reportsEveryPiece
    var isLow = false
    consumer.withLock { consumer in
      func giveSilence(_ count: Int64) {
        let count = Int(min(max(0, count), Int64(wanted - taken)))
        UnsafeMutableBufferPointer(rebasing: buffer[(taken * channelCount)...].prefix(count * channelCount))
          .update(repeating: 0)
        taken += count
      }
      while let chunk = dropOld(&consumer) {
        soundingGeneration.store(chunk.generation, ordering: .sequentiallyConsistent)
        if let frame = chunk.streamFrame {
          giveSilence(frame - firstFrame - Int64(taken))
          // The chunk begins at another frame: a later one, or one taken before, which the output requests
          // again after `replaceFrames`.
          if frame != firstFrame + Int64(taken) { break }
        }
        isRefused = taken == wanted && wanted < room && chunk.frameCount > 0 || log.isFull
        if isRefused || taken == wanted && chunk.frameCount > 0 { break }
        let rest = UnsafeMutableBufferPointer(rebasing: buffer[(taken * channelCount)...])
        let count = chunk.frameCount == 0 ? 0 : consumer.read(into: rest, maxFrames: wanted - taken)
        if chunk.frameCount == 0 { consumer.skipChunk() }
        if log.append(chunk, count: count, firstFrame: firstFrame + Int64(taken)) { changed = true }
        taken += count
      }
      if isSilent { giveSilence(.max) }
      let available = consumer.availableFrames
      isRingEmpty.store(available == 0 && consumer.peek() == nil, ordering: .releasing)
      // The flag is set before the signal, so a decoder that just filled the ring either sees the flag or
      // runs once more because of the signal. No starved output is missed.
      if isRefused {
        refusedFrame.store(firstFrame + Int64(taken), ordering: .sequentiallyConsistent)
        changed = true
      } else if taken < room {
        isStarved.store(true, ordering: .sequentiallyConsistent)
      }
      isLow = available < lowWater
    }
    if isLow { wantsData() }
    // If no frame was taken, none was replaced either, so `handedOut` stays.
    if taken > 0 { handedOut.store(firstFrame + Int64(taken), ordering: .sequentiallyConsistent) }
    if changed { logChanged() }
    return taken
  }
}
