import AudioCore
import AudioOutput
import Synchronization

/// The engine's end of the ring: gives the output what the decoder made and notes what it took.
///
/// One for each stream. Its lock is only ever taken by the output's thread (and once to hand the ring over), so it
/// is never waited for; it stands in for a proof that only one thread reads.
final class Renderer: RenderSource {
  let timeline: RenderedTimeline
  private let consumer: Mutex<RingConsumer>
  private let channelCount: Int
  private let lowWater: Int

  /// Chunks of an older generation are thrown away unheard.
  private let generation: Atomic<UInt64>
  /// Frames from this one on are not handed out yet: a file would run away from its observers otherwise.
  private let limit = Atomic<Int64>(.max)
  /// The output got less than it asked for and waits to be told of more.
  private let isStarved = Atomic<Bool>(false)
  /// The output got less than it asked for because of the limit.
  private let isHeldBack = Atomic<Bool>(false)
  /// The decoder has nothing behind what is in the ring.
  private let isProducerAtEnd = Atomic<Bool>(false)
  private let isRingEmpty = Atomic<Bool>(true)

  /// The ring is half empty: decode on. Cheap, never blocks.
  private let wantsData: @Sendable () -> Void
  /// A run began or ended: deadlines changed. Cheap, never blocks.
  private let timelineChanged: @Sendable () -> Void
  /// Files have no clock of their own, so each piece taken is progress to look at.
  private let reportsEveryPiece: Bool

  init(
    consumer: consuming sending RingConsumer, format: PCMFormat, lowWater: Int, generation: UInt64,
    timeline: RenderedTimeline, reportsEveryPiece: Bool, wantsData: @escaping @Sendable () -> Void,
    timelineChanged: @escaping @Sendable () -> Void
  ) {
    self.consumer = Mutex(consumer)
    channelCount = format.channelCount
    self.lowWater = lowWater
    self.generation = Atomic(generation)
    self.timeline = timeline
    self.reportsEveryPiece = reportsEveryPiece
    self.wantsData = wantsData
    self.timelineChanged = timelineChanged
  }

  func setGeneration(_ value: UInt64) { generation.store(value, ordering: .releasing) }
  func setLimit(_ frame: Int64) { limit.store(frame, ordering: .releasing) }

  /// Whether the output waits for a higher limit. It has to be told of that: the decoder will not do it.
  var isWaitingForLimit: Bool { isHeldBack.load(ordering: .sequentiallyConsistent) }

  /// Says whether the decoder has nothing behind what is in the ring; returns whether that is news.
  func setProducerAtEnd(_ value: Bool) -> Bool {
    isProducerAtEnd.exchange(value, ordering: .acquiringAndReleasing) != value
  }

  /// Whether the output waits to be told of more.
  var isWaitingForData: Bool { isStarved.load(ordering: .sequentiallyConsistent) }

  var isAtEnd: Bool {
    isProducerAtEnd.load(ordering: .acquiring) && isRingEmpty.load(ordering: .acquiring)
  }

  func render(into buffer: UnsafeMutableBufferPointer<Float>, firstFrame: Int64) -> Int {
    isStarved.store(false, ordering: .sequentiallyConsistent)
    let room = buffer.count / channelCount
    let wanted = Int(min(Int64(room), max(0, limit.load(ordering: .acquiring) - firstFrame)))
    var taken = 0
    var changed = reportsEveryPiece
    consumer.withLock { consumer in
      let generation = generation.load(ordering: .acquiring)
      while let chunk = consumer.peek() {
        if chunk.generation < generation {
          consumer.skipChunk()
          continue
        }
        if taken == wanted && chunk.frameCount > 0 || timeline.isFull { break }
        let rest = UnsafeMutableBufferPointer(rebasing: buffer[(taken * channelCount)...])
        let count = chunk.frameCount == 0 ? 0 : consumer.read(into: rest, maxFrames: wanted - taken)
        if chunk.frameCount == 0 { consumer.skipChunk() }
        if timeline.append(chunk, count: count, firstFrame: firstFrame + Int64(taken)) { changed = true }
        taken += count
      }
      let available = consumer.availableFrames
      isRingEmpty.store(available == 0 && consumer.peek() == nil, ordering: .releasing)
      // The mark comes before the signal: a decoder that filled the ring just now either sees the mark itself or
      // is run once more by this signal, so no starved output is ever forgotten.
      if taken < room { isStarved.store(true, ordering: .sequentiallyConsistent) }
      // The conductor is told below, as of every piece, and sees this then if it did not before.
      isHeldBack.store(taken == wanted && wanted < room, ordering: .sequentiallyConsistent)
      if available < lowWater { wantsData() }
    }
    if changed { timelineChanged() }
    return taken
  }
}
