import MediaTime

/// A position in an item: the frame to which the decoder was set plus an offset in output frames.
///
/// Keeping both parts is exact for every conversion between the item's and the output's sample rate. A single
/// number at either rate would not be.
struct ItemPosition: Hashable, Sendable {
  /// The decoder's start frame, at the item's sample rate.
  var origin: Int64
  /// The item's time since `origin`, in periods of the output's sample rate: output frames at speed 1. Fractional
  /// between two frames.
  var offset: Double
  /// The item's sample rate in frames per second: the timescale of its times.
  var itemRate: Int
  /// The output's sample rate in frames per second.
  var outputRate: Int

  var seconds: Double { Double(origin) / Double(itemRate) + offset / Double(outputRate) }

  /// The item's own frame at or just before this position. The tolerance of a thousandth of a frame (22 ns)
  /// absorbs the rounding error of the division.
  var frame: Int64 {
    origin + Int64((offset * Double(itemRate) / Double(outputRate) + 0.001).rounded(.down))
  }

  /// The position as a time in the item's timescale.
  var time: CMTime { CMTime(value: frame, timescale: CMTimeScale(itemRate)) }

  /// Returns the number of output frames, at speed 1, from this position to `seconds` of item time; negative for
  /// earlier times.
  func outputFrames(untilSeconds seconds: Double) -> Double {
    (seconds - self.seconds) * Double(outputRate)
  }
}

extension ItemPosition {
  /// Creates the position of the item's own frame at `seconds`.
  init(seconds: Double, itemRate: Int, rounding: FloatingPointRoundingRule = .toNearestOrAwayFromZero) {
    let frame = Int64((seconds * Double(itemRate)).rounded(rounding))
    self.init(origin: frame, offset: 0, itemRate: itemRate, outputRate: itemRate)
  }
}
