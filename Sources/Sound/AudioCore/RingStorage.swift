import Synchronization

/// The memory shared by the two ends of a ring.
///
/// `@unchecked Sendable`, because of the raw memory. At most two threads use it: `RingProducer` and
/// `RingConsumer` cannot be copied and one of each exists. A slot or sample belongs to the producer from the
/// consumer's release of its index until the producer's own release, and then to the consumer. Each side
/// loads the other's index with acquiring order before it accesses the memory. Indexes never wrap (2⁶³ frames
/// are 6 million years), so full and empty differ.
final class RingStorage: @unchecked Sendable {
  /// A descriptor, and the index of the frame after its last one.
  struct Slot {
    var chunk: Chunk
    var endFrame: Int
  }

  let channelCount: Int
  let capacityFrames: Int
  let chunkCapacity: Int
  private let samples: UnsafeMutablePointer<Float>
  private let slots: UnsafeMutablePointer<Slot>

  /// The number of committed chunks, written by the producer. The slots have the numbers of their frames.
  let committedChunks = Atomic<Int>(0)
  /// The numbers of consumed frames and chunks, written by the consumer.
  let takenFrames = Atomic<Int>(0)
  let takenChunks = Atomic<Int>(0)

  init(channelCount: Int, capacityFrames: Int, chunkCapacity: Int) {
    precondition(channelCount > 0 && capacityFrames > 0 && chunkCapacity > 0, "a ring needs room")
    self.channelCount = channelCount
    self.capacityFrames = Self.powerOfTwo(atLeast: capacityFrames)
    self.chunkCapacity = Self.powerOfTwo(atLeast: chunkCapacity)
    samples = .allocate(capacity: self.capacityFrames * channelCount)
    // Touches every page now, so that no page fault occurs on the audio thread.
    samples.initialize(repeating: 0, count: self.capacityFrames * channelCount)
    slots = .allocate(capacity: self.chunkCapacity)
    slots.initialize(
      repeating: Slot(
        chunk: Chunk(generation: 0, item: ItemID(rawValue: 0), origin: 0, offset: 0, frameCount: 0),
        endFrame: 0),
      count: self.chunkCapacity)
  }

  deinit {
    samples.deallocate()
    slots.deallocate()
  }

  private static func powerOfTwo(atLeast value: Int) -> Int {
    1 << (Int.bitWidth - (value - 1).leadingZeroBitCount)
  }

  /// Returns the memory of at most `count` frames from index `frame` on, not past the end of the memory.
  func region(at frame: Int, count: Int) -> UnsafeMutableBufferPointer<Float> {
    let position = frame & (capacityFrames - 1)
    let length = min(count, capacityFrames - position)
    return UnsafeMutableBufferPointer(start: samples + position * channelCount, count: length * channelCount)
  }

  func slot(_ chunk: Int) -> UnsafeMutablePointer<Slot> { slots + (chunk & (chunkCapacity - 1)) }
}
