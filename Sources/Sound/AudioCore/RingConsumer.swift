import Synchronization

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

  /// Drops the rest of the head chunk, or a mark. Does nothing if the ring is empty.
  package mutating func skipChunk() {
    guard let slot = headSlot() else { return }
    take(upTo: slot.pointee.endFrame, of: slot)
  }

  private func headSlot() -> UnsafeMutablePointer<RingStorage.Slot>? {
    storage.committedChunks.load(ordering: .acquiring) == chunks ? nil : storage.slot(chunks)
  }

  /// Returns memory to the producer, after the last access to it.
  private mutating func take(upTo frame: Int, of slot: UnsafeMutablePointer<RingStorage.Slot>) {
    let isLast = frame == slot.pointee.endFrame
    frames = frame
    storage.takenFrames.store(frames, ordering: .releasing)
    guard isLast else { return }
    chunks += 1
    storage.takenChunks.store(chunks, ordering: .releasing)
  }
}
