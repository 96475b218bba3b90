/// A ring of PCM frames with a queue of their descriptors, for one thread that writes and one that reads.
///
/// The ends are noncopyable: that there is one producer and one consumer is a fact of the type system. Neither end
/// locks, allocates or waits.
package enum RingBuffer {
  /// Makes a ring and its two ends; all memory is taken here.
  ///
  /// - Parameters:
  ///   - format: what the samples are; fixes the size of a frame.
  ///   - capacityFrames: room for so many frames at least; rounded up to a power of two. Above 0.
  ///   - chunkCapacity: room for so many chunks at least; rounded up to a power of two. Above 0.
  package static func makeEnds(format: PCMFormat, capacityFrames: Int, chunkCapacity: Int) -> RingEnds {
    let storage = RingStorage(
      channelCount: format.channelCount, capacityFrames: capacityFrames, chunkCapacity: chunkCapacity)
    return RingEnds(producer: RingProducer(storage), consumer: RingConsumer(storage))
  }
}

/// Both ends of a ring, to be taken apart: `let producer = ends.producer; let consumer = ends.consumer`.
///
/// A struct and not a tuple, because tuples of noncopyable values do not exist in Swift 6.3; frozen, because only
/// then another module may take it apart.
@frozen
package struct RingEnds: ~Copyable, Sendable {
  /// The end that writes.
  package var producer: RingProducer
  /// The end that reads.
  package var consumer: RingConsumer
}
