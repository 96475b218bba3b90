/// Which frame number stands at which place of a stream.
///
/// A *position* counts what the server was sent, in frames; its read and write index are positions. A *frame number*
/// counts what the source rendered. They differ after a flush: the server takes its write index back, frame numbers
/// go on.
struct StreamPositions: Hashable, Sendable {
  /// Where the first frame after the last flush stands; what lies before it has no number any more.
  private(set) var basePosition: Int64 = 0
  private var baseFrame: Int64 = 0
  /// Frames rendered so far.
  private(set) var renderedFrames: Int64 = 0

  /// The position after the last frame sent.
  var endPosition: Int64 { basePosition + renderedFrames - baseFrame }

  /// `count` frames were sent: the next ones, or those from `frame` on in the place of some sent before.
  mutating func append(_ count: Int, from frame: Int64? = nil) {
    renderedFrames = (frame ?? renderedFrames) + Int64(count)
  }

  /// The server threw away what lay behind `position`; what is sent next stands there. Returns the number of the
  /// first frame thrown away.
  mutating func flush(at position: Int64) -> Int64 {
    let dropped = Int64(frame(at: Double(position)))
    basePosition = position
    baseFrame = renderedFrames
    return dropped
  }

  /// The frame at `position`, between the first one since the last flush and the last one rendered.
  func frame(at position: Double) -> Double {
    let frame = Double(baseFrame) + position - Double(basePosition)
    return min(max(frame, Double(baseFrame)), Double(renderedFrames))
  }

  /// The position of `frame`, which must not lie before the last flush.
  func position(ofFrame frame: Double) -> Double { Double(basePosition) + frame - Double(baseFrame) }
}
