/// Which frame number stands at which place of a stream.
///
/// A *position* counts what the server was sent, in frames; its read and write index are positions. A *frame number*
/// counts what the source rendered. They differ after silence was put in (positions without a frame) and after a
/// flush (the server takes its write index back, frame numbers go on).
struct FrameMap: Hashable, Sendable {
  private struct Run: Hashable {
    var position: Int64
    var frame: Int64
  }

  private var runs = [Run(position: 0, frame: 0)]
  /// The position after the last frame or silence sent.
  private(set) var endPosition: Int64 = 0
  /// Frames rendered so far.
  private(set) var renderedFrames: Int64 = 0

  /// `count` frames were sent.
  mutating func append(_ count: Int) {
    endPosition += Int64(count)
    renderedFrames += Int64(count)
  }

  /// `count` frames of silence were sent, which have no numbers. `heard`: runs that end before it are forgotten.
  mutating func appendSilence(_ count: Int, heard: Double) {
    endPosition += Int64(count)
    runs.append(Run(position: endPosition, frame: renderedFrames))
    while runs.count > 2, Double(runs[1].position) < heard { runs.removeFirst() }
  }

  /// The server threw away what lay behind `position`; what is sent next stands there. Returns the number of the
  /// first frame thrown away.
  mutating func flush(at position: Int64) -> Int64 {
    let dropped = Int64(min(frame(at: Double(position)), Double(renderedFrames)))
    endPosition = position
    runs = [Run(position: position, frame: renderedFrames)]
    return dropped
  }

  /// The frame at `position`, between the first one still in the map and the last one rendered. In silence, and
  /// before the first frame after a flush, the frame that follows.
  func frame(at position: Double) -> Double {
    var frame = Double(runs[0].frame)
    for (index, run) in runs.enumerated() where Double(run.position) <= position {
      let limit = index + 1 < runs.count ? runs[index + 1].frame : renderedFrames
      frame = min(Double(run.frame) + position - Double(run.position), Double(limit))
    }
    return frame
  }

  /// The first position at or after `position` that has a frame of its own: itself, except in silence and before
  /// the first frame after a flush.
  func soundingPosition(from position: Double) -> Double {
    if position < Double(runs[0].position) { return Double(runs[0].position) }
    for (index, run) in runs.enumerated().dropLast() where Double(run.position) <= position {
      let next = runs[index + 1]
      let length = Double(next.frame - run.frame)
      if position < Double(next.position), position >= Double(run.position) + length {
        return Double(next.position)
      }
    }
    return position
  }

  /// The position of `frame`, which must not lie before the map's first.
  func position(ofFrame frame: Double) -> Double {
    var found = runs[0]
    for run in runs where Double(run.frame) <= frame { found = run }
    return Double(found.position) + frame - Double(found.frame)
  }
}
