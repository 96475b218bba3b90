import MediaTime

/// A place in an item: the frame where the decoder was set plus a way in frames of the output.
///
/// Both parts are kept because their sum is exact whatever conversion lies between the item's rate and the
/// output's; a single number of either rate would not be.
struct ItemPosition: Hashable, Sendable {
  /// Frames of the item's own rate.
  var origin: Int64
  /// Frames of the output's rate since `origin`; fractional between two frames.
  var offset: Double
  /// The item's frames per second: the timescale of its times.
  var itemRate: Int
  /// The output's frames per second.
  var outputRate: Int

  init(frame: Int64, itemRate: Int) {
    origin = frame
    offset = 0
    self.itemRate = itemRate
    outputRate = itemRate
  }

  init(origin: Int64, offset: Double, itemRate: Int, outputRate: Int) {
    self.origin = origin
    self.offset = offset
    self.itemRate = itemRate
    self.outputRate = outputRate
  }

  var seconds: Double { Double(origin) / Double(itemRate) + offset / Double(outputRate) }

  /// The item's own frame at or just before this place. The allowance of a thousandth of a frame (22 ns) takes up
  /// what the division leaves.
  var frame: Int64 {
    origin + Int64((offset * Double(itemRate) / Double(outputRate) + 0.001).rounded(.down))
  }

  /// The same as a time in the item's timescale.
  var time: CMTime { CMTime(value: frame, timescale: CMTimeScale(itemRate)) }

  /// How many output frames after this place `seconds` of item time comes; negative if before.
  func outputFrames(untilSeconds seconds: Double) -> Double {
    (seconds - self.seconds) * Double(outputRate)
  }
}
