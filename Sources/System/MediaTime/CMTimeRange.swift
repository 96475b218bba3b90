/// A half-open range of times: from ``start`` up to, but not including, start + ``duration``.
///
/// A trivial 48-byte value. No operation traps. The duration must be in epoch 0 and not negative; all times
/// of a range are in the epoch of its start.
public struct CMTimeRange: Sendable, BitwiseCopyable {
  /// The first time of the range.
  public var start: CMTime
  /// The length of the range.
  public var duration: CMTime

  /// Creates an invalid range: all fields are 0. (Apple's page for this initializer says "empty"; by the
  /// header, zeroed memory is invalid.)
  public init() {
    start = .invalid
    duration = .invalid
  }

  /// Creates a range from a start and a duration; ``invalid`` if the epoch of the duration is not 0.
  public init(start: CMTime, duration: CMTime) {
    let isPossible = duration.epoch == 0
    self.start = isPossible ? start : .invalid
    self.duration = isPossible ? duration : .invalid
  }

  /// Creates the range from a start up to an end, of duration end − start.
  ///
  /// Invalid if the end is before the start or in another epoch.
  public init(start: CMTime, end: CMTime) { self.init(start: start, duration: end - start) }

  /// The empty range at ``CMTime/zero``.
  public static var zero: CMTimeRange { CMTimeRange(start: .zero, duration: .zero) }
  /// A range of two invalid times.
  public static var invalid: CMTimeRange { CMTimeRange() }
}

/// Core Media's name for ``CMTimeRange/zero``.
public var kCMTimeRangeZero: CMTimeRange { .zero }
/// Core Media's name for ``CMTimeRange/invalid``.
public var kCMTimeRangeInvalid: CMTimeRange { .invalid }

/// Returns the range that ``CMTimeRange/init(start:duration:)`` creates.
public func CMTimeRangeMake(start: CMTime, duration: CMTime) -> CMTimeRange {
  CMTimeRange(start: start, duration: duration)
}

/// Returns the range that ``CMTimeRange/init(start:end:)`` creates.
public func CMTimeRangeFromTimeToTime(start: CMTime, end: CMTime) -> CMTimeRange {
  CMTimeRange(start: start, end: end)
}

// MARK: - Tests

extension CMTimeRange {
  /// Whether start and duration are valid and the duration is in epoch 0 with a value that is not negative.
  /// Depends only on the fields, as in Core Media, so an infinite range is valid.
  public var isValid: Bool { start.isValid && duration.isValid && duration.epoch == 0 && duration.value >= 0 }

  /// Whether the range is valid and its duration zero.
  public var isEmpty: Bool { isValid && duration == .zero }

  /// Whether the range is valid and its start or duration indefinite.
  public var isIndefinite: Bool { isValid && (start.isIndefinite || duration.isIndefinite) }

  /// The first time after the range: start + duration, with the rules of ``CMTimeAdd(_:_:)``.
  public var end: CMTime { start + duration }
}

/// Returns ``CMTimeRange/isValid``.
public func CMTIMERANGE_IS_VALID(_ range: CMTimeRange) -> Bool { range.isValid }
/// Returns the opposite of ``CMTimeRange/isValid``.
public func CMTIMERANGE_IS_INVALID(_ range: CMTimeRange) -> Bool { !range.isValid }
/// Returns ``CMTimeRange/isEmpty``.
public func CMTIMERANGE_IS_EMPTY(_ range: CMTimeRange) -> Bool { range.isEmpty }
/// Returns ``CMTimeRange/isIndefinite``.
public func CMTIMERANGE_IS_INDEFINITE(_ range: CMTimeRange) -> Bool { range.isIndefinite }
/// Returns ``CMTimeRange/end``.
public func CMTimeRangeGetEnd(_ range: CMTimeRange) -> CMTime { range.end }

extension CMTimeRange: Hashable {
  /// Whether both starts and both durations are equal as times, so that 1/2 equals 2/4.
  public static func == (range1: CMTimeRange, range2: CMTimeRange) -> Bool {
    range1.start == range2.start && range1.duration == range2.duration
  }

  /// Hashes start and duration as times, so that equal ranges have equal hashes.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(start)
    hasher.combine(duration)
  }
}

/// Whether both starts and both durations are equal as times.
public func CMTimeRangeEqual(_ range1: CMTimeRange, _ range2: CMTimeRange) -> Bool { range1 == range2 }
