import Glibc

/// Mixes three and more channels down to stereo, by the weights of ITU-R BS.775: the centre and the surround
/// channels are lowered by 3 dB, the low-frequency channel is left out. The sum is scaled so that it cannot clip.
struct ChannelMix {
  private let channels: Int
  private let left, right: [Float]

  /// Creates the mix for channels whose positions are `map`; without a map, for the format's usual positions.
  init(_ map: [Int32]?, channels: Int, isVorbis: Bool) {
    let map = map ?? Self.usualMap(channels, isVorbis: isVorbis)
    let weights = (0..<channels).map { Self.weights($0 < map.count ? map[$0] : 0) }
    let loudest = max(
      weights.reduce(0) { $0 + $1.left }, weights.reduce(0) { $0 + $1.right }, .leastNormalMagnitude)
    self.channels = channels
    left = weights.map { $0.left / loudest }
    right = weights.map { $0.right / loudest }
  }

  func apply(to input: UnsafePointer<Float>, count: Int, into output: UnsafeMutablePointer<Float>) {
    for frame in 0..<count {
      var (a, b): (Float, Float) = (0, 0)
      for channel in 0..<channels {
        let sample = input[frame * channels + channel]
        a += sample * left[channel]
        b += sample * right[channel]
      }
      output[2 * frame] = a
      output[2 * frame + 1] = b
    }
  }

  /// Returns the weights of a position by its number in sndfile.h. Central and unknown positions are on both sides,
  /// lowered by 3 dB.
  private static func weights(_ position: Int32) -> (left: Float, right: Float) {
    let lowered = Float(0.5).squareRoot()
    switch position {
    // Left, front left, front left of centre.
    case 2, 5, 12: return (1, 0)
    // Right, front right, front right of centre.
    case 3, 6, 13: return (0, 1)
    // Rear left, side left, top front left, top rear left.
    case 9, 14, 17, 20: return (lowered, 0)
    case 10, 15, 18, 21: return (0, lowered)
    // The low-frequency channel.
    case 11: return (0, 0)
    default: return (lowered, lowered)
    }
  }

  /// Returns the channel positions, as numbered in sndfile.h, for a file that specifies none: in the order of Vorbis, or
  /// of WAV and FLAC. Channels after the eighth have no position.
  private static func usualMap(_ channels: Int, isVorbis: Bool) -> [Int32] {
    let (left, right, centre, rearLeft, rearRight, bass, sideLeft, sideRight):
      (
        Int32, Int32, Int32, Int32, Int32, Int32, Int32, Int32
      ) = (5, 6, 7, 9, 10, 11, 14, 15)
    let rearCentre: Int32 = 8
    if isVorbis {
      switch channels {
      case 3: return [left, centre, right]
      case 4: return [left, right, rearLeft, rearRight]
      case 5: return [left, centre, right, rearLeft, rearRight]
      case 6: return [left, centre, right, rearLeft, rearRight, bass]
      case 7: return [left, centre, right, sideLeft, sideRight, rearCentre, bass]
      default: return [left, centre, right, sideLeft, sideRight, rearLeft, rearRight, bass]
      }
    }
    switch channels {
    case 3: return [left, right, centre]
    case 4: return [left, right, rearLeft, rearRight]
    case 5: return [left, right, centre, rearLeft, rearRight]
    case 6: return [left, right, centre, bass, rearLeft, rearRight]
    case 7: return [left, right, centre, bass, rearCentre, sideLeft, sideRight]
    default: return [left, right, centre, bass, rearLeft, rearRight, sideLeft, sideRight]
    }
  }
}
