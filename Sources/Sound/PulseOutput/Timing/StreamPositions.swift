/// The mapping between frame numbers and positions of a stream. A *position* counts frames sent to the
/// server, as the server's read and write indexes do. A *frame number* counts frames rendered by the source.
/// The two diverge after a flush, because the server moves its write index back, whereas frame numbers keep
/// increasing.
struct StreamPositions: Hashable, Sendable {
  /// The position of the first frame after the last flush; earlier positions have no frame numbers.
  private(set) var basePosition: Int64 = 0
  private var baseFrame: Int64 = 0
  private(set) var renderedFrames: Int64 = 0

  var endPosition: Int64 { basePosition + renderedFrames - baseFrame }

  /// Records that `count` frames were sent: the next ones, or replacements from `frame` on.
  mutating func append(_ count: Int, from frame: Int64? = nil) {
    renderedFrames = (frame ?? renderedFrames) + Int64(count)
  }

  /// Records that the server discarded all frames after `position`. Returns the first discarded frame.
  mutating func flush(at position: Int64) -> Int64 {
    let dropped = Int64(frame(at: Double(position)))
    basePosition = position
    baseFrame = renderedFrames
    return dropped
  }

  /// Returns the frame number at `position`, limited to the frames from the last flush to the last rendered.
  func frame(at position: Double) -> Double {
    let frame = Double(baseFrame) + position - Double(basePosition)
    return min(max(frame, Double(baseFrame)), Double(renderedFrames))
  }

  /// Returns the position of `frame`, which must not precede the last flush.
  func position(ofFrame frame: Double) -> Double { Double(basePosition) + frame - Double(baseFrame) }
}
