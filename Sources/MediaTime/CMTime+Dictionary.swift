/// Key of the value in the dictionary of a time; an `Int64`.
public var kCMTimeValueKey: String { "value" }
/// Key of the timescale in the dictionary of a time; an `Int32`.
public var kCMTimeScaleKey: String { "timescale" }
/// Key of the epoch in the dictionary of a time; an `Int64`.
public var kCMTimeEpochKey: String { "epoch" }
/// Key of the flags in the dictionary of a time; a `UInt32`.
public var kCMTimeFlagsKey: String { "flags" }

/// The four fields of the time under Apple's keys.
///
/// Stands for Apple's `CFDictionary`. Never nil; optional because Apple's is. There are no allocators here:
/// pass nil.
public func CMTimeCopyAsDictionary(_ time: CMTime, allocator: Never?) -> [String: any Sendable]? {
  time.dictionary
}

extension CMTime {
  /// The four fields under Apple's keys.
  var dictionary: [String: any Sendable] {
    [
      kCMTimeValueKey: value, kCMTimeScaleKey: timescale, kCMTimeEpochKey: epoch,
      kCMTimeFlagsKey: flags.rawValue,
    ]
  }
}

/// The time that ``CMTimeCopyAsDictionary(_:allocator:)`` took apart.
///
/// Invalid if a key is missing or its value is not a whole number that fits the field. Any integer type will
/// do, as any `CFNumber` would.
public func CMTimeMakeFromDictionary(_ dictionaryRepresentation: [String: Any]?) -> CMTime {
  guard let dictionary = dictionaryRepresentation,
    let value: Int64 = integer(dictionary[kCMTimeValueKey]),
    let timescale: Int32 = integer(dictionary[kCMTimeScaleKey]),
    let epoch: Int64 = integer(dictionary[kCMTimeEpochKey]),
    let flags: UInt32 = integer(dictionary[kCMTimeFlagsKey])
  else { return .invalid }
  return CMTime(value: value, timescale: timescale, flags: CMTimeFlags(rawValue: flags), epoch: epoch)
}

private func integer<T: FixedWidthInteger>(_ number: Any?) -> T? {
  (number as? any BinaryInteger).flatMap { T(exactly: $0) }
}

/// Key of the start in the dictionary of a range; the dictionary of a time.
public var kCMTimeRangeStartKey: String { "start" }
/// Key of the duration in the dictionary of a range; the dictionary of a time.
public var kCMTimeRangeDurationKey: String { "duration" }

/// The dictionaries of start and duration under Apple's keys.
///
/// Stands for Apple's `CFDictionary`. Never nil; optional because Apple's is. There are no allocators here:
/// pass nil.
public func CMTimeRangeCopyAsDictionary(
  _ range: CMTimeRange, allocator: Never?
) -> [String: any Sendable]? {
  [kCMTimeRangeStartKey: range.start.dictionary, kCMTimeRangeDurationKey: range.duration.dictionary]
}

/// The range that ``CMTimeRangeCopyAsDictionary(_:allocator:)`` took apart; invalid if a key is missing or
/// holds no dictionary.
public func CMTimeRangeMakeFromDictionary(_ dictionaryRepresentation: [String: Any]) -> CMTimeRange {
  guard let start = dictionaryRepresentation[kCMTimeRangeStartKey] as? [String: Any],
    let duration = dictionaryRepresentation[kCMTimeRangeDurationKey] as? [String: Any]
  else { return .invalid }
  return CMTimeRange(
    start: CMTimeMakeFromDictionary(start), duration: CMTimeMakeFromDictionary(duration))
}
