/// Says what a run of PCM frames is. Chunks travel beside the samples from the decoder to the output, so that
/// item changes, ends and position come from what the *output* took and not from what was decoded.
public struct Chunk: Hashable, Sendable {
  /// Raised by each discontinuity (seek, skip, clear, stop). Whoever meets an old one drops it.
  public var generation: UInt64
  /// The item that the frames belong to.
  public var item: ItemID
  /// Where the decoder was set last in this item, in frames of the item's own sample rate.
  public var origin: Int64
  /// Frames of the *output* format between `origin` and the first frame of this chunk. Item time of the first
  /// frame is `origin / itemRate + offset / outputRate` seconds, exactly, whatever conversion lies between.
  public var offset: Int64
  /// Frames of the output format in this chunk; 0 for a chunk that only marks an end.
  public var frameCount: Int
  /// Whether the item ends after this chunk, and how.
  public var ending: Ending

  /// How an item goes on after a chunk.
  public enum Ending: UInt8, Sendable {
    /// It goes on.
    case none
    /// This is its end.
    case end
    /// It breaks off here: what follows could not be decoded.
    case failure
  }

  /// A chunk with these properties.
  public init(
    generation: UInt64, item: ItemID, origin: Int64, offset: Int64, frameCount: Int, ending: Ending = .none
  ) {
    self.generation = generation
    self.item = item
    self.origin = origin
    self.offset = offset
    self.frameCount = frameCount
    self.ending = ending
  }
}
