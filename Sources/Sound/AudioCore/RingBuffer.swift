import Synchronization

/// A ring of PCM frames with a queue of their descriptors, for one writing and one reading thread. The ends
/// are noncopyable: one producer and one consumer exist. Neither end locks, allocates or waits.
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
/// This is a struct because Swift 6.3 has no tuples of noncopyable values, and frozen so that other modules
/// can destructure it.
@frozen
package struct RingEnds: ~Copyable, Sendable {
  package var producer: RingProducer
  package var consumer: RingConsumer
}

/// The memory shared by the two ends of a ring.
///
/// `@unchecked Sendable`, because of the raw memory. At most two threads use it: `RingProducer` and
/// `RingConsumer` cannot be copied and one of each exists. A slot or sample belongs to the producer from the
/// consumer's release of its index until the producer's own release, and then to the consumer. Each side
/// loads the other's index with acquiring order before it accesses the memory. Indexes never wrap (2⁶³ frames
/// are 6 million years), so full and empty differ.
final class RingStorage: @unchecked Sendable {
  /// A chunk's descriptor, and the index of the frame after the chunk's last frame.
  struct Slot {
    var chunk: Chunk
    var endFrame: Int
  }

  let channelCount: Int
  let capacityFrames: Int
  let chunkCapacity: Int
  private let samples: UnsafeMutablePointer<Float>
  private let slots: UnsafeMutablePointer<Slot>

  /// The number of committed chunks, written by the producer. The last committed slot's `endFrame` is the
  /// number of committed frames.
  let committedChunks = Atomic<Int>(0)
  /// The numbers of consumed frames and chunks, written by the consumer.
  let takenFrames = Atomic<Int>(0)
  let takenChunks = Atomic<Int>(0)

  init(channelCount: Int, capacityFrames: Int, chunkCapacity: Int) {
    precondition(channelCount > 0 && capacityFrames > 0 && chunkCapacity > 0, "a ring needs room")
    self.channelCount = channelCount
    self.capacityFrames = Self.powerOfTwo(atLeast: capacityFrames)
    self.chunkCapacity = Self.powerOfTwo(atLeast: chunkCapacity)
    let count = self.capacityFrames * channelCount
    samples = .allocate(capacity: count)
    // Touches every page now, so that no page fault occurs on the audio thread. No page is smaller than 4 KiB.
    for index in stride(from: 0, to: count, by: 1024) { (samples + index).initialize(to: 0) }
    (samples + count - 1).initialize(to: 0)
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

/// The writing end of a ring. Used by one thread at a time; no call locks, allocates or waits.
package struct RingProducer: ~Copyable, Sendable {
  private let storage: RingStorage
  /// The producer's own indexes. No other thread writes them, so they need no atomic access.
  private var frames = 0
  private var chunks = 0

  init(_ storage: RingStorage) { self.storage = storage }

  /// The number of frames that can be written. May grow at any moment; shrinks only by `commit`.
  package var freeFrames: Int {
    storage.capacityFrames - (frames - storage.takenFrames.load(ordering: .acquiring))
  }

  /// Whether the ring has room for one more chunk. Once true, stays true until `commit`.
  package var canCommit: Bool {
    chunks - storage.takenChunks.load(ordering: .acquiring) < storage.chunkCapacity
  }

  /// The contiguous free memory for the next frames, in whole frames. Shorter than `freeFrames` where the
  /// ring wraps round; empty without room for a frame or a chunk. Valid until `commit`, or until the producer
  /// is destroyed.
  package var writableRegion: UnsafeMutableBufferPointer<Float> {
    storage.region(at: frames, count: canCommit ? freeFrames : 0)
  }

  /// Commits `chunk.frameCount` frames, written at the start of `writableRegion`, together with their
  /// descriptor. A chunk without frames is a mark and needs room for a chunk only.
  package mutating func commit(_ chunk: Chunk) {
    precondition(canCommit, "no room for a chunk")
    precondition(
      chunk.frameCount >= 0
        && chunk.frameCount * storage.channelCount <= storage.region(at: frames, count: freeFrames).count,
      "more frames than writableRegion had room for")
    frames += chunk.frameCount
    storage.slot(chunks).pointee = RingStorage.Slot(chunk: chunk, endFrame: frames)
    chunks += 1
    storage.committedChunks.store(chunks, ordering: .releasing)
  }
}

/// The reading end of a ring. Used by one thread at a time; no call locks, allocates or waits.
package struct RingConsumer: ~Copyable, Sendable {
  private let storage: RingStorage
  /// The consumer's own indexes. No other thread writes them, so they need no atomic access.
  private var frames = 0
  private var chunks = 0

  init(_ storage: RingStorage) { self.storage = storage }

  /// The number of readable frames of all chunks. May grow at any moment; shrinks only by calls of this end.
  package var availableFrames: Int {
    let committed = storage.committedChunks.load(ordering: .acquiring)
    return committed == chunks ? 0 : storage.slot(committed - 1).pointee.endFrame - frames
  }

  /// Returns the head chunk without removing it; nil if the ring is empty. `offset`, `streamFrame` and
  /// `frameCount` describe the unread part of the chunk.
  package mutating func peek() -> Chunk? {
    guard let slot = headSlot() else { return nil }
    var chunk = slot.pointee.chunk
    let left = slot.pointee.endFrame - frames
    let taken = Int64(chunk.frameCount - left)
    chunk.offset += taken
    chunk.streamFrame = chunk.streamFrame.map { $0 + taken }
    chunk.frameCount = left
    return chunk
  }

  /// Moves frames of the head chunk, never of the next one, to the start of `buffer`. The chunk leaves the
  /// ring with its last frame. A chunk without frames stays until `skipChunk`.
  ///
  /// - Parameters:
  ///   - buffer: room for frames, interleaved.
  ///   - maxFrames: the maximum number of frames to move; also limited by the buffer's size.
  /// - Returns: the number of frames moved.
  package mutating func read(into buffer: UnsafeMutableBufferPointer<Float>, maxFrames: Int) -> Int {
    guard let slot = headSlot() else { return 0 }
    let count = min(slot.pointee.endFrame - frames, maxFrames, buffer.count / storage.channelCount)
    guard count > 0, let target = buffer.baseAddress else { return 0 }
    // A chunk is contiguous, because it was written into one `writableRegion`.
    let source = storage.region(at: frames, count: count)
    guard let origin = source.baseAddress else { return 0 }
    target.update(from: origin, count: source.count)
    take(upTo: frames + count, of: slot)
    return count
  }

  /// Drops the rest of the head chunk, which may be a mark without frames. Does nothing if the ring is empty.
  package mutating func skipChunk() {
    guard let slot = headSlot() else { return }
    take(upTo: slot.pointee.endFrame, of: slot)
  }

  private func headSlot() -> UnsafeMutablePointer<RingStorage.Slot>? {
    storage.committedChunks.load(ordering: .acquiring) == chunks ? nil : storage.slot(chunks)
  }

  /// Releases the frames before `frame` to the producer. Must follow the last access to their memory.
  private mutating func take(upTo frame: Int, of slot: UnsafeMutablePointer<RingStorage.Slot>) {
    let isLast = frame == slot.pointee.endFrame
    frames = frame
    storage.takenFrames.store(frames, ordering: .releasing)
    guard isLast else { return }
    chunks += 1
    storage.takenChunks.store(chunks, ordering: .releasing)
  }
}
