/// A ring of PCM frames with a queue of their descriptors, for one writing and one reading thread.
///
/// The ends are noncopyable: one producer and one consumer exist. Neither end locks, allocates or waits.
package enum RingBuffer {
  /// Creates a ring and its two ends. Allocates all memory.
  ///
  /// - Parameters:
  ///   - format: the format of the samples, which determines the size of a frame.
  ///   - capacityFrames: the minimum capacity, in frames; rounded up to a power of two. Above 0.
  ///   - chunkCapacity: the minimum number of chunks; rounded up to a power of two. Above 0.
  package static func makeEnds(format: PCMFormat, capacityFrames: Int, chunkCapacity: Int) -> RingEnds {
    let storage = RingStorage(
      channelCount: format.channelCount, capacityFrames: capacityFrames, chunkCapacity: chunkCapacity)
    return RingEnds(producer: RingProducer(storage), consumer: RingConsumer(storage))
  }
}

/// Both ends of a ring, to be destructured: `let producer = ends.producer; let consumer = ends.consumer`.
///
/// A struct: Swift 6.3 has no tuples of noncopyable values. Frozen, so that other modules can destructure it.
@frozen
package struct RingEnds: ~Copyable, Sendable {
  package var producer: RingProducer
  package var consumer: RingConsumer
}
