/// A time or duration as an exact rational number of seconds, `value / timescale`, or one of four special
/// times: positive infinity, negative infinity, indefinite and invalid.
///
/// A trivial 24-byte value with the field order of Apple's C struct. No operation on it traps, allocates
/// (descriptions and dictionaries apart) or blocks, so all of it may be called from any thread, a real-time
/// one included.
///
/// A time whose flags say that it is a number but whose timescale is not positive is malformed. Its fields
/// are kept and ``isValid`` and ``isNumeric`` go by the flags, as Apple's do, but every operation reads it as
/// invalid. Apple only says that timescales must be positive.
public struct CMTime: Sendable, BitwiseCopyable {
  /// Numerator: a count of units of `1/timescale` seconds. Any value.
  public var value: CMTimeValue
  /// Denominator: units per second. Must be positive.
  public var timescale: CMTimeScale
  /// What the time stands for.
  public var flags: CMTimeFlags
  /// The loop or item the time belongs to; times of a greater epoch come after all times of a lesser one. 0
  /// for durations.
  public var epoch: CMTimeEpoch

  /// An invalid time: all fields 0.
  public init() {
    self.init(value: 0, timescale: 0, flags: [], epoch: 0)
  }

  /// A time of exactly these fields.
  public init(value: CMTimeValue, timescale: CMTimeScale, flags: CMTimeFlags, epoch: CMTimeEpoch) {
    self.value = value
    self.timescale = timescale
    self.flags = flags
    self.epoch = epoch
  }

  /// The time `value / timescale` seconds in epoch 0. The timescale must be positive.
  public init(value: CMTimeValue, timescale: CMTimeScale) {
    self.init(value: value, timescale: timescale, flags: .valid, epoch: 0)
  }
}

// MARK: - Constants

extension CMTime {
  /// 0/1 s, epoch 0.
  public static var zero: CMTime { CMTime(value: 0, timescale: 1) }
  /// All fields 0. Many other times are invalid too: ask ``isValid`` (or compare; all invalid times are
  /// equal).
  public static var invalid: CMTime { CMTime() }
  /// A time that is not known.
  public static var indefinite: CMTime {
    CMTime(value: 0, timescale: 0, flags: [.valid, .indefinite], epoch: 0)
  }
  /// Later than every number.
  public static var positiveInfinity: CMTime {
    CMTime(value: 0, timescale: 0, flags: [.valid, .positiveInfinity], epoch: 0)
  }
  /// Earlier than every number.
  public static var negativeInfinity: CMTime {
    CMTime(value: 0, timescale: 0, flags: [.valid, .negativeInfinity], epoch: 0)
  }
}

/// ``CMTime/zero``.
public var kCMTimeZero: CMTime { .zero }
/// ``CMTime/invalid``.
public var kCMTimeInvalid: CMTime { .invalid }
/// ``CMTime/indefinite``.
public var kCMTimeIndefinite: CMTime { .indefinite }
/// ``CMTime/positiveInfinity``.
public var kCMTimePositiveInfinity: CMTime { .positiveInfinity }
/// ``CMTime/negativeInfinity``.
public var kCMTimeNegativeInfinity: CMTime { .negativeInfinity }

/// The time `value / timescale` seconds in epoch 0. The timescale must be positive.
public func CMTimeMake(value: Int64, timescale: Int32) -> CMTime {
  CMTime(value: value, timescale: timescale)
}

/// The time `value / timescale` seconds in the given epoch. The timescale must be positive.
public func CMTimeMakeWithEpoch(value: Int64, timescale: Int32, epoch: Int64) -> CMTime {
  CMTime(value: value, timescale: timescale, flags: .valid, epoch: epoch)
}

// MARK: - Flag tests

extension CMTime {
  /// Whether the time is a number, infinite or indefinite. Goes by the flags alone.
  public var isValid: Bool { flags.contains(.valid) }

  /// Whether the time is valid and positive infinity.
  public var isPositiveInfinity: Bool { flags.contains([.valid, .positiveInfinity]) }

  /// Whether the time is valid and negative infinity.
  public var isNegativeInfinity: Bool { flags.contains([.valid, .negativeInfinity]) }

  /// Whether the time is valid and indefinite.
  public var isIndefinite: Bool { flags.contains([.valid, .indefinite]) }

  /// Whether the time is a number: valid, and neither infinite nor indefinite. Goes by the flags alone.
  public var isNumeric: Bool {
    flags.intersection([.valid, .impliedValueFlagsMask]) == .valid
  }

  /// Whether the time is a number and some operation on the way to it had to round.
  public var hasBeenRounded: Bool { isNumeric && flags.contains(.hasBeenRounded) }
}

/// ``CMTime/isValid``.
public func CMTIME_IS_VALID(_ time: CMTime) -> Bool { time.isValid }
/// The opposite of ``CMTime/isValid``.
public func CMTIME_IS_INVALID(_ time: CMTime) -> Bool { !time.isValid }
/// ``CMTime/isPositiveInfinity``, in the spelling of Apple's Swift overlay.
public func CMTIME_IS_POSITIVEINFINITY(_ time: CMTime) -> Bool { time.isPositiveInfinity }
/// ``CMTime/isNegativeInfinity``, in the spelling of Apple's Swift overlay.
public func CMTIME_IS_NEGATIVEINFINITY(_ time: CMTime) -> Bool { time.isNegativeInfinity }
/// ``CMTime/isIndefinite``.
public func CMTIME_IS_INDEFINITE(_ time: CMTime) -> Bool { time.isIndefinite }
/// ``CMTime/isNumeric``.
public func CMTIME_IS_NUMERIC(_ time: CMTime) -> Bool { time.isNumeric }
/// ``CMTime/hasBeenRounded``.
public func CMTIME_HAS_BEEN_ROUNDED(_ time: CMTime) -> Bool { time.hasBeenRounded }
