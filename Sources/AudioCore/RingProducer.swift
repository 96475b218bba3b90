import Synchronization

/// The end of a ring that writes. Used by one thread at a time; no call locks, allocates or waits.
package struct RingProducer: ~Copyable, Sendable {
  private let storage: RingStorage
  /// Own indexes: nobody else writes them, so they need no atomic access.
  private var frames = 0
  private var chunks = 0

  init(_ storage: RingStorage) {
    self.storage = storage
  }

  /// Frames that the ring holds at most: what was asked for, rounded up to a power of two.
  package var capacityFrames: Int { storage.capacityFrames }

  /// Frames that can be written; may grow at any moment, shrinks only by `commit`.
  package var freeFrames: Int {
    storage.capacityFrames - (frames - storage.takenFrames.load(ordering: .acquiring))
  }

  /// Whether there is room for one more chunk; stays true until `commit`.
  package var canCommit: Bool {
    chunks - storage.takenChunks.load(ordering: .acquiring) < storage.chunkCapacity
  }

  /// Room for the next frames, in one piece and whole frames: shorter than `freeFrames` where the ring wraps round,
  /// empty when it is full or has no room for a chunk. Valid until `commit` or the end of this value.
  package var writableRegion: UnsafeMutableBufferPointer<Float> {
    storage.region(at: frames, count: canCommit ? freeFrames : 0)
  }

  /// Hands over `chunk.frameCount` frames, written at the start of `writableRegion`, together with what they are.
  /// A chunk without frames is a mark; it needs room for a chunk only.
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
