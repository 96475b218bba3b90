/// A time or duration as an exact rational number of seconds, `value / timescale`, or one of four special
/// times: positive infinity, negative infinity, indefinite and invalid.
///
/// A trivial 24-byte value with the field order of Apple's C struct. No operation traps. Except descriptions,
/// dictionaries and ``CMTimeShow(_:)``, none allocates or blocks, so real-time threads may call them.
///
/// A time is malformed if its flags mark a number but its timescale is not positive. Its fields are kept, and
/// ``isValid`` and ``isNumeric`` depend only on the flags, as in Core Media. Arithmetic and comparisons treat
/// it as invalid. (Apple only documents that timescales must be positive.)
public struct CMTime: Sendable, BitwiseCopyable {
  /// The numerator: a number of units of `1/timescale` seconds. Any value.
  public var value: CMTimeValue
  /// The denominator: units per second. Must be positive.
  public var timescale: CMTimeScale
  /// The flags: whether the time is a number, infinite, indefinite or invalid, and whether it was rounded.
  public var flags: CMTimeFlags
  /// The loop or item of the time; times of a greater epoch are later than all times of a lesser one. 0 for
  /// durations.
  public var epoch: CMTimeEpoch

  /// Creates an invalid time: all fields are 0.
  public init() { self.init(value: 0, timescale: 0, flags: [], epoch: 0) }

  /// Creates a time with exactly these fields.
  public init(value: CMTimeValue, timescale: CMTimeScale, flags: CMTimeFlags, epoch: CMTimeEpoch) {
    self.value = value
    self.timescale = timescale
    self.flags = flags
    self.epoch = epoch
  }

  /// Creates the time `value / timescale` seconds in epoch 0. The timescale must be positive.
  public init(value: CMTimeValue, timescale: CMTimeScale) {
    self.init(value: value, timescale: timescale, flags: .valid, epoch: 0)
  }
}

// MARK: - Constants

extension CMTime {
  /// The time 0/1 s in epoch 0.
  public static var zero: CMTime { CMTime(value: 0, timescale: 1) }
  /// The time whose fields are all 0. Other times may be invalid as well, so check ``isValid``, or compare,
  /// since all invalid times are equal.
  public static var invalid: CMTime { CMTime() }
  /// The unknown time, such as the duration of a live stream.
  public static var indefinite: CMTime {
    CMTime(value: 0, timescale: 0, flags: [.valid, .indefinite], epoch: 0)
  }
  /// The time later than every number.
  public static var positiveInfinity: CMTime {
    CMTime(value: 0, timescale: 0, flags: [.valid, .positiveInfinity], epoch: 0)
  }
  /// The time earlier than every number.
  public static var negativeInfinity: CMTime {
    CMTime(value: 0, timescale: 0, flags: [.valid, .negativeInfinity], epoch: 0)
  }
}

/// Core Media's name for ``CMTime/zero``.
public var kCMTimeZero: CMTime { .zero }
/// Core Media's name for ``CMTime/invalid``.
public var kCMTimeInvalid: CMTime { .invalid }
/// Core Media's name for ``CMTime/indefinite``.
public var kCMTimeIndefinite: CMTime { .indefinite }
/// Core Media's name for ``CMTime/positiveInfinity``.
public var kCMTimePositiveInfinity: CMTime { .positiveInfinity }
/// Core Media's name for ``CMTime/negativeInfinity``.
public var kCMTimeNegativeInfinity: CMTime { .negativeInfinity }

/// Creates the time `value / timescale` seconds in epoch 0. The timescale must be positive.
public func CMTimeMake(value: Int64, timescale: Int32) -> CMTime {
  CMTime(value: value, timescale: timescale)
}

/// Creates the time `value / timescale` seconds in the given epoch. The timescale must be positive.
public func CMTimeMakeWithEpoch(value: Int64, timescale: Int32, epoch: Int64) -> CMTime {
  CMTime(value: value, timescale: timescale, flags: .valid, epoch: epoch)
}

// MARK: - Flag tests

extension CMTime {
  /// Whether the time is a number, infinite or indefinite. Depends only on the flags.
  public var isValid: Bool { flags.contains(.valid) }

  /// Whether the time is positive infinity.
  public var isPositiveInfinity: Bool { flags.contains([.valid, .positiveInfinity]) }

  /// Whether the time is negative infinity.
  public var isNegativeInfinity: Bool { flags.contains([.valid, .negativeInfinity]) }

  /// Whether the time is indefinite.
  public var isIndefinite: Bool { flags.contains([.valid, .indefinite]) }

  /// Whether the time is a number: valid, and neither infinite nor indefinite. Depends only on the flags.
  public var isNumeric: Bool { flags.intersection([.valid, .impliedValueFlagsMask]) == .valid }

  /// Whether the time is a number and was rounded by some operation that led to it.
  public var hasBeenRounded: Bool { isNumeric && flags.contains(.hasBeenRounded) }
}

/// Returns ``CMTime/isValid``.
public func CMTIME_IS_VALID(_ time: CMTime) -> Bool { time.isValid }
/// Returns the opposite of ``CMTime/isValid``.
public func CMTIME_IS_INVALID(_ time: CMTime) -> Bool { !time.isValid }
/// Returns ``CMTime/isPositiveInfinity``. Spelled as in Apple's Swift overlay.
public func CMTIME_IS_POSITIVEINFINITY(_ time: CMTime) -> Bool { time.isPositiveInfinity }
/// Returns ``CMTime/isNegativeInfinity``. Spelled as in Apple's Swift overlay.
public func CMTIME_IS_NEGATIVEINFINITY(_ time: CMTime) -> Bool { time.isNegativeInfinity }
/// Returns ``CMTime/isIndefinite``.
public func CMTIME_IS_INDEFINITE(_ time: CMTime) -> Bool { time.isIndefinite }
/// Returns ``CMTime/isNumeric``.
public func CMTIME_IS_NUMERIC(_ time: CMTime) -> Bool { time.isNumeric }
/// Returns ``CMTime/hasBeenRounded``.
public func CMTIME_HAS_BEEN_ROUNDED(_ time: CMTime) -> Bool { time.hasBeenRounded }

extension CMTime {
  /// The five kinds of time, in the order of ``CMTimeCompare(_:_:)``.
  enum Kind: Int {
    case negativeInfinity, numeric, indefinite, positiveInfinity, invalid
  }

  /// The kind of the time in arithmetic and comparisons. If several implied-value flags are set (never by
  /// this module), the first of positive infinity, negative infinity and indefinite counts. A number without
  /// a positive timescale is invalid.
  var kind: Kind {
    guard flags.contains(.valid) else { return .invalid }
    if flags.isDisjoint(with: .impliedValueFlagsMask) { return timescale > 0 ? .numeric : .invalid }
    if flags.contains(.positiveInfinity) { return .positiveInfinity }
    return flags.contains(.negativeInfinity) ? .negativeInfinity : .indefinite
  }

  static func infinity(negative: Bool) -> CMTime { negative ? .negativeInfinity : .positiveInfinity }

  /// The constant of the same kind. The time must not be a number.
  var canonical: CMTime { .zero + self }

  init(_ value: CMTimeValue, _ timescale: CMTimeScale, rounded: Bool, epoch: CMTimeEpoch) {
    self.init(value: value, timescale: timescale, flags: .valid, epoch: epoch)
    if rounded { flags.insert(.hasBeenRounded) }
  }

  /// Whether the rounded flag is set. Meaningful for numbers only.
  var carriesRounding: Bool { flags.contains(.hasBeenRounded) }
}
