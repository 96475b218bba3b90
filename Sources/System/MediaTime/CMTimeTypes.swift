/// The numerator of a ``CMTime``: a number of units of `1/timescale` seconds.
public typealias CMTimeValue = Int64

/// The denominator of a ``CMTime``: units per second. A number whose timescale is not positive is malformed.
public typealias CMTimeScale = Int32

/// The loop or item that a ``CMTime`` belongs to. Durations have epoch 0.
public typealias CMTimeEpoch = Int64

/// The largest timescale, 2³¹ − 1. Sums whose exact timescale would be larger are rounded to it.
///
/// The type is `Int`, as in Core Media (the C macro has type `long`).
public var kCMTimeMaxTimescale: Int { 0x7fff_ffff }

/// The flags of a ``CMTime``: its kind and whether it was rounded. Unknown bits are kept and ignored.
public struct CMTimeFlags: OptionSet, Hashable, Sendable, BitwiseCopyable {
  /// The flag bits, with Apple's values.
  public let rawValue: UInt32

  /// Creates flags from any bit pattern.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The time is valid. Without this flag the time is invalid, whatever its other flags, so zeroed memory is
  /// invalid.
  public static var valid: CMTimeFlags { CMTimeFlags(rawValue: 1 << 0) }
  /// The time was rounded by an operation that led to it.
  public static var hasBeenRounded: CMTimeFlags { CMTimeFlags(rawValue: 1 << 1) }
  /// The time is positive infinity; value, timescale and epoch are ignored.
  public static var positiveInfinity: CMTimeFlags { CMTimeFlags(rawValue: 1 << 2) }
  /// The time is negative infinity; value, timescale and epoch are ignored.
  public static var negativeInfinity: CMTimeFlags { CMTimeFlags(rawValue: 1 << 3) }
  /// The time is unknown, such as the duration of a live stream; value, timescale and epoch are ignored.
  public static var indefinite: CMTimeFlags { CMTimeFlags(rawValue: 1 << 4) }
  /// The flags that make value, timescale and epoch ignored.
  public static var impliedValueFlagsMask: CMTimeFlags { CMTimeFlags(rawValue: 0b11100) }
}

/// The rounding method of ``CMTimeConvertScale(_:timescale:method:)`` for values that are not whole.
public enum CMTimeRoundingMethod: UInt32, Hashable, Sendable {
  /// Rounds to the nearest value, halves away from zero. The default, and the method of all other arithmetic,
  /// but not of ``CMTime/init(seconds:preferredTimescale:)``, which truncates.
  case roundHalfAwayFromZero = 1
  /// Rounds toward zero: drops the fraction.
  case roundTowardZero = 2
  /// Rounds to the next whole value away from zero.
  case roundAwayFromZero = 3
  /// Rounds toward zero for a smaller timescale and away from zero for a larger one; never rounds a negative
  /// time to zero.
  case quickTime = 4
  /// Rounds to the next whole value toward positive infinity.
  case roundTowardPositiveInfinity = 5
  /// Rounds to the next whole value toward negative infinity.
  case roundTowardNegativeInfinity = 6

  /// The default method, ``roundHalfAwayFromZero``.
  public static var `default`: CMTimeRoundingMethod { .roundHalfAwayFromZero }
}
