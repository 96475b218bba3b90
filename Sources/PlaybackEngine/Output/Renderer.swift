import AudioCore
import Synchronization

/// The engine's end of the ring: gives the output what the decoder made and notes what it took.
///
/// One for each stream. Only the output's thread takes its lock, so nobody waits for it; Swift cannot see that only one
/// thread reads.
final class Renderer: RenderSource {
  let log: RenderLog
  private let consumer: Mutex<RingConsumer>
  private let channelCount: Int
  private let lowWater: Int

  /// Chunks of an older generation are thrown away unheard.
  private let generation: Atomic<UInt64>
  /// Frames from this one on are not handed out yet: a file would run away from its observers otherwise.
  private let limit = Atomic<Int64>(.max)
  /// The output got less than it asked for because there was no more, and waits to be told of more.
  private let isStarved = Atomic<Bool>(false)
  /// The output was refused what lies behind this frame, because of the limit or because the log was full; -1
  /// if it was not.
  private let refusedFrame = Atomic<Int64>(-1)
  private let handedOut = Atomic<Int64>(0)
  /// The decoder has nothing behind what is in the ring.
  private let isProducerAtEnd = Atomic<Bool>(false)
  private let isRingEmpty = Atomic<Bool>(true)
  /// The output gets silence up to the first frames of this generation; and the generation that it got frames of last.
  private let silentGeneration = Atomic<UInt64>(0)
  private let soundingGeneration = Atomic<UInt64>(0)

  /// The ring is half empty: decode on. Cheap, never blocks.
  private let wantsData: @Sendable () -> Void
  /// A run began or ended: deadlines changed. Cheap, never blocks.
  private let logChanged: @Sendable () -> Void
  /// Files have no clock of their own, so each piece taken is progress to look at.
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

  /// The frame that the output gets next. Moved before the conductor is told of it.
  var nextFrame: Int64 { handedOut.load(ordering: .sequentiallyConsistent) }

  /// Never lowers it, so that the conductor and the output's thread may both say what they know.
  func setGeneration(_ value: UInt64) { generation.max(value, ordering: .acquiringAndReleasing) }
  func setLimit(_ frame: Int64) { limit.store(frame, ordering: .sequentiallyConsistent) }

  /// Whether the output was refused frames and would get them now; says so once. The conductor's: a refusal always
  /// signals it, so none is overlooked that comes just after it has asked.
  func takesRefusalBack() -> Bool {
    let frame = refusedFrame.load(ordering: .sequentiallyConsistent)
    guard frame >= 0, frame < limit.load(ordering: .sequentiallyConsistent), log.hasRoom else {
      return false
    }
    return refusedFrame.compareExchange(expected: frame, desired: -1, ordering: .sequentiallyConsistent)
      .exchanged
  }

  /// Gives the output silence up to the first frames of that generation; returns whether that is news, so that it is to
  /// ask once more.
  func beSilent(upTo generation: UInt64) -> Bool {
    silentGeneration.exchange(generation, ordering: .sequentiallyConsistent) != generation && isSilent
  }

  private var isSilent: Bool {
    let silent = silentGeneration.load(ordering: .sequentiallyConsistent)
    return silent > soundingGeneration.load(ordering: .sequentiallyConsistent)
      && silent >= generation.load(ordering: .acquiring)
  }

  /// Says whether the decoder has nothing behind what is in the ring; returns whether that is news.
  func setProducerAtEnd(_ value: Bool) -> Bool {
    isProducerAtEnd.exchange(value, ordering: .acquiringAndReleasing) != value
  }

  /// Whether the output waits to be told of more.
  var isWaitingForData: Bool { isStarved.load(ordering: .sequentiallyConsistent) }

  var isAtEnd: Bool {
    isProducerAtEnd.load(ordering: .acquiring) && isRingEmpty.load(ordering: .acquiring)
  }

  var replacedFrame: Int64? {
    let (frame, available) = consumer.withLock { consumer in
      (dropOld(&consumer)?.streamFrame, consumer.availableFrames)
    }
    // A decoder that found the ring full of what was dropped just now waits for room.
    if available < lowWater { wantsData() }
    return frame.flatMap { $0 < nextFrame ? $0 : nil }
  }

  /// Throws away what is not to be heard any more; returns the chunk behind it.
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
          // It belongs to another place: the output asks for that when it is told to.
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
      // The mark comes before the signal: a decoder that filled the ring just now either sees the mark itself or
      // is run once more by this signal, so no starved output is ever forgotten.
      if isRefused {
        refusedFrame.store(firstFrame + Int64(taken), ordering: .sequentiallyConsistent)
        changed = true
      } else if taken < room {
        isStarved.store(true, ordering: .sequentiallyConsistent)
      }
      isLow = available < lowWater
    }
    if isLow { wantsData() }
    // Where nothing came in the place of frames that were taken before, these stay.
    if taken > 0 { handedOut.store(firstFrame + Int64(taken), ordering: .sequentiallyConsistent) }
    if changed { logChanged() }
    return taken
  }
}
