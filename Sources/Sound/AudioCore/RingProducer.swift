import Synchronization

/// The writing end of a ring. Used by one thread at a time; no call locks, allocates or waits.
package struct RingProducer: ~Copyable, Sendable {
  private let storage: RingStorage
  /// The producer's own indexes. No other thread writes them, so they need no atomic access.
  private var frames = 0
  private var chunks = 0

  init(_ storage: RingStorage) { self.storage = storage }

  /// The capacity of the ring, in frames: the requested capacity, rounded up to a power of two.
  package var capacityFrames: Int { storage.capacityFrames }

  /// The number of frames that can be written. May grow at any moment; shrinks only by `commit`.
  package var freeFrames: Int {
    storage.capacityFrames - (frames - storage.takenFrames.load(ordering: .acquiring))
  }

  /// Whether the ring has room for one more chunk. Once true, stays true until `commit`.
  package var canCommit: Bool {
    chunks - storage.takenChunks.load(ordering: .acquiring) < storage.chunkCapacity
  }

  /// The contiguous free memory for the next frames, in whole frames. Shorter than `freeFrames` where the
  /// ring wraps round; empty without room for a frame or a chunk. Valid until `commit` or this value's end.
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
