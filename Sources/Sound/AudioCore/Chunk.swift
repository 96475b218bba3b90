import Synchronization

/// A descriptor of a run of PCM frames. Chunks accompany the samples from the decoder to the output. Item
/// changes, ends and position therefore follow the frames that the *output* took, not the decoded ones.
package struct Chunk: Hashable, Sendable {
  /// The generation, raised whenever decoded frames become invalid. Chunks of older generations are dropped.
  package var generation: UInt64
  package var item: ItemID
  /// The position to which the decoder last moved in this item, in frames of the item's own sample rate; 0 without a
  /// seek.
  package var origin: Int64
  /// The number of frames of the *output* format between `origin` and the first frame of this chunk. The item
  /// time of the first frame is exactly `origin / itemRate + offset · speed / outputRate` s in every case.
  package var offset: Int64
  /// The number of seconds of the item in a second of output.
  package var speed: Double
  /// The number of frames of the output format in this chunk; 0 for a chunk that only marks an end.
  package var frameCount: Int
  package var ending: Ending
  /// The stream's number of the first frame; nil if the chunk follows the previous chunk. A number below that
  /// of the next frame replaces rendered frames; before a higher one, silence plays. Later chunks continue the
  /// new numbers.
  package var streamFrame: Int64?

  package enum Ending: UInt8, Sendable {
    case none
    case end
    /// The rest of the item could not be decoded.
    case failure
  }

  package init(
    generation: UInt64, item: ItemID, origin: Int64, offset: Int64, frameCount: Int, ending: Ending = .none,
    speed: Double = 1, streamFrame: Int64? = nil
  ) {
    self.generation = generation
    self.item = item
    self.origin = origin
    self.offset = offset
    self.frameCount = frameCount
    self.ending = ending
    self.speed = speed
    self.streamFrame = streamFrame
  }
}

/// The engine's number of an item, unique in a process.
package struct ItemID: Hashable, Sendable {
  /// The number, or 0 to represent no item.
  package let rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }

  private static let last = Atomic<UInt64>(0)

  /// Returns an unused identifier. May be called on any thread.
  package static func next() -> ItemID { ItemID(rawValue: last.wrappingAdd(1, ordering: .relaxed).newValue) }
}
