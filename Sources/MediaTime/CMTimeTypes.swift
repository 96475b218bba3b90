/// Numerator of a ``CMTime``: a count of units of `1/timescale` seconds.
public typealias CMTimeValue = Int64

/// Denominator of a ``CMTime``: units per second. Must be positive; a time with any other timescale is read
/// as invalid.
public typealias CMTimeScale = Int32

/// The loop or item a ``CMTime`` belongs to. Epoch 0 is also the epoch of durations.
public typealias CMTimeEpoch = Int64

/// The largest timescale, 2³¹ − 1. Sums whose exact timescale would be larger are rounded to it.
///
/// It is an `Int` because Apple's is (the C macro has type `long`).
public var kCMTimeMaxTimescale: Int { 0x7fff_ffff }

/// What a ``CMTime`` stands for. Bits that have no name here are kept and ignored.
public struct CMTimeFlags: OptionSet, Hashable, Sendable, BitwiseCopyable {
  /// The flag bits, with Apple's values.
  public let rawValue: UInt32

  /// Any bit pattern is accepted.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Without this flag the time is invalid, whatever the other flags say. So memory filled with zeroes is
  /// invalid.
  public static var valid: CMTimeFlags { CMTimeFlags(rawValue: 1 << 0) }
  /// Some operation on the way to this time had to round.
  public static var hasBeenRounded: CMTimeFlags { CMTimeFlags(rawValue: 1 << 1) }
  /// The time is positive infinity; value, timescale and epoch are ignored.
  public static var positiveInfinity: CMTimeFlags { CMTimeFlags(rawValue: 1 << 2) }
  /// The time is negative infinity; value, timescale and epoch are ignored.
  public static var negativeInfinity: CMTimeFlags { CMTimeFlags(rawValue: 1 << 3) }
  /// The time is not known, such as the duration of a live stream; value, timescale and epoch are ignored.
  public static var indefinite: CMTimeFlags { CMTimeFlags(rawValue: 1 << 4) }
  /// The flags that make value, timescale and epoch ignored.
  public static var impliedValueFlagsMask: CMTimeFlags { CMTimeFlags(rawValue: 0b11100) }
}

/// How ``CMTimeConvertScale(_:timescale:method:)`` picks a whole value when the exact one is not whole.
public enum CMTimeRoundingMethod: UInt32, Hashable, Sendable {
  /// To the nearest; halves go away from zero. The default, and the method of all arithmetic that must round.
  case roundHalfAwayFromZero = 1
  /// Drops the fraction.
  case roundTowardZero = 2
  /// To the next whole value away from zero.
  case roundAwayFromZero = 3
  /// Toward zero when the new timescale is smaller, away from zero when it is larger, and never a negative
  /// time to zero.
  case quickTime = 4
  /// To the next whole value toward positive infinity.
  case roundTowardPositiveInfinity = 5
  /// To the next whole value toward negative infinity.
  case roundTowardNegativeInfinity = 6

  /// ``roundHalfAwayFromZero``.
  public static var `default`: CMTimeRoundingMethod { .roundHalfAwayFromZero }
}
