import Synchronization

/// The memory that the two ends of a ring share.
///
/// `@unchecked Sendable`, because of the raw memory. It is used from two threads at most: `RingProducer` and
/// `RingConsumer` cannot be copied and there is one of each. A slot or sample belongs to the producer from the
/// moment its index was released by the consumer until the producer releases its own index, and to the consumer
/// from then on; each side loads the other's index acquiring before it touches what that index gives it.
/// Indexes run freely (2⁶³ frames are 6 million years), so full and empty differ.
final class RingStorage: @unchecked Sendable {
  /// A descriptor, and the number of the frame after its last one.
  struct Slot {
    var chunk: Chunk
    var endFrame: Int
  }

  let channelCount: Int
  let capacityFrames: Int
  let chunkCapacity: Int
  private let samples: UnsafeMutablePointer<Float>
  private let slots: UnsafeMutablePointer<Slot>

  /// Chunks committed; written by the producer. That of frames is in the slots.
  let committedChunks = Atomic<Int>(0)
  /// Frames and chunks taken; written by the consumer.
  let takenFrames = Atomic<Int>(0)
  let takenChunks = Atomic<Int>(0)

  init(channelCount: Int, capacityFrames: Int, chunkCapacity: Int) {
    precondition(channelCount > 0 && capacityFrames > 0 && chunkCapacity > 0, "a ring needs room")
    self.channelCount = channelCount
    self.capacityFrames = Self.powerOfTwo(atLeast: capacityFrames)
    self.chunkCapacity = Self.powerOfTwo(atLeast: chunkCapacity)
    samples = .allocate(capacity: self.capacityFrames * channelCount)
    // Touches every page now and not on the audio thread.
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

  /// The frames from number `frame` on, at most `count` and not beyond the end of the memory.
  func region(at frame: Int, count: Int) -> UnsafeMutableBufferPointer<Float> {
    let position = frame & (capacityFrames - 1)
    let length = min(count, capacityFrames - position)
    return UnsafeMutableBufferPointer(start: samples + position * channelCount, count: length * channelCount)
  }

  /// The slot of chunk number `chunk`.
  func slot(_ chunk: Int) -> UnsafeMutablePointer<Slot> {
    slots + (chunk & (chunkCapacity - 1))
  }
}
