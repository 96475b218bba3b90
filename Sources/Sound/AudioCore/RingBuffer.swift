/// A ring of PCM frames with a queue of their descriptors, for one writing and one reading thread.
///
/// The ends are noncopyable, so the type system guarantees one producer and one consumer. Neither end locks,
/// allocates or waits.
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
/// A struct, because Swift 6.3 has no tuples of noncopyable values. Frozen, because other modules can
/// destructure only frozen types.
@frozen
package struct RingEnds: ~Copyable, Sendable {
  package var producer: RingProducer
  package var consumer: RingConsumer
}
