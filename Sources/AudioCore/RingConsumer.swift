import Synchronization

/// The end of a ring that reads. Used by one thread at a time; no call locks, allocates or waits.
package struct RingConsumer: ~Copyable, Sendable {
  private let storage: RingStorage
  /// Own indexes: nobody else writes them, so they need no atomic access.
  private var frames = 0
  private var chunks = 0

  init(_ storage: RingStorage) {
    self.storage = storage
  }

  /// Frames that can be read, over all chunks; may grow at any moment, shrinks only by what this end does.
  package var availableFrames: Int {
    let committed = storage.committedChunks.load(ordering: .acquiring)
    return committed == chunks ? 0 : storage.slot(committed - 1).pointee.endFrame - frames
  }

  /// The chunk at the head with what is left of it: `offset`, `streamFrame` and `frameCount` count from the first frame
  /// that was not read yet. Nil when the ring is empty. Takes nothing.
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

  /// Moves frames of the head chunk, never of the next one, to the start of `buffer`. The chunk leaves the ring with
  /// its last frame; one without frames stays until `skipChunk`.
  ///
  /// - Parameters:
  ///   - buffer: room for frames, interleaved.
  ///   - maxFrames: how many are wanted at most; limited by what the buffer holds.
  /// - Returns: how many frames were moved.
  package mutating func read(into buffer: UnsafeMutableBufferPointer<Float>, maxFrames: Int) -> Int {
    guard let slot = headSlot() else { return 0 }
    let count = min(slot.pointee.endFrame - frames, maxFrames, buffer.count / storage.channelCount)
    guard count > 0, let target = buffer.baseAddress else { return 0 }
    // A chunk lies in one piece, as it was written into `writableRegion`.
    let source = storage.region(at: frames, count: count)
    guard let origin = source.baseAddress else { return 0 }
    target.update(from: origin, count: source.count)
    take(upTo: frames + count, of: slot)
    return count
  }

  /// Drops what is left of the head chunk, or a mark. Does nothing when the ring is empty.
  package mutating func skipChunk() {
    guard let slot = headSlot() else { return }
    take(upTo: slot.pointee.endFrame, of: slot)
  }

  private func headSlot() -> UnsafeMutablePointer<RingStorage.Slot>? {
    storage.committedChunks.load(ordering: .acquiring) == chunks ? nil : storage.slot(chunks)
  }

  /// Gives memory back to the producer, after the last access to it.
  private mutating func take(upTo frame: Int, of slot: UnsafeMutablePointer<RingStorage.Slot>) {
    let isLast = frame == slot.pointee.endFrame
    frames = frame
    storage.takenFrames.store(frames, ordering: .releasing)
    guard isLast else { return }
    chunks += 1
    storage.takenChunks.store(chunks, ordering: .releasing)
  }
}
