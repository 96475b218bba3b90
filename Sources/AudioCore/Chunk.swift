/// Says what a run of PCM frames is. Chunks travel beside the samples from the decoder to the output, so that
/// item changes, ends and position come from what the *output* took and not from what was decoded.
package struct Chunk: Hashable, Sendable {
  /// Raised by each discontinuity (seek, skip, clear, stop). A chunk of an older one is dropped wherever it is met.
  package var generation: UInt64
  /// The item that the frames belong to.
  package var item: ItemID
  /// Where the decoder was set last in this item, in frames of the item's own sample rate.
  package var origin: Int64
  /// Frames of the *output* format between `origin` and the first frame of this chunk. Item time of the first
  /// frame is `origin / itemRate + offset · speed / outputRate` seconds, exactly, whatever conversion lies between.
  package var offset: Int64
  /// Seconds of the item in a second of output.
  package var speed: Double
  /// Frames of the output format in this chunk; 0 for a chunk that only marks an end.
  package var frameCount: Int
  /// Whether the item ends after this chunk, and how.
  package var ending: Ending
  /// The stream's number of the first frame, where that is not the next one: it takes the place of a frame that was
  /// rendered already, and what follows goes on from there.
  package var streamFrame: Int64?

  /// How an item goes on after a chunk.
  package enum Ending: UInt8, Sendable {
    /// It goes on.
    case none
    /// This is its end.
    case end
    /// It breaks off here: what follows could not be decoded.
    case failure
  }

  /// A chunk with these properties.
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
