/// The key of the value in a time's dictionary; an `Int64`.
public var kCMTimeValueKey: String { "value" }
/// The key of the timescale in a time's dictionary; an `Int32`.
public var kCMTimeScaleKey: String { "timescale" }
/// The key of the epoch in a time's dictionary; an `Int64`.
public var kCMTimeEpochKey: String { "epoch" }
/// The key of the flags in a time's dictionary; a `UInt32`.
public var kCMTimeFlagsKey: String { "flags" }

/// Returns the four fields of the time under Core Media's keys.
///
/// Replaces a `CFDictionary`. Never nil; optional as in Core Media. `allocator`: pass nil.
public func CMTimeCopyAsDictionary(_ time: CMTime, allocator: Never?) -> [String: any Sendable]? {
  time.dictionary
}

extension CMTime {
  var dictionary: [String: any Sendable] {
    [
      kCMTimeValueKey: value, kCMTimeScaleKey: timescale, kCMTimeEpochKey: epoch,
      kCMTimeFlagsKey: flags.rawValue,
    ]
  }
}

/// Returns the time stored by ``CMTimeCopyAsDictionary(_:allocator:)``.
///
/// Invalid if a key is missing, or if its value is not a whole number that fits the field. Any integer type
/// is accepted.
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

/// The key of the start in a range's dictionary; the value is a time's dictionary.
public var kCMTimeRangeStartKey: String { "start" }
/// The key of the duration in a range's dictionary; the value is a time's dictionary.
public var kCMTimeRangeDurationKey: String { "duration" }

/// Returns the dictionaries of start and duration under Core Media's keys.
///
/// Replaces a `CFDictionary`. Never nil; optional as in Core Media. `allocator`: pass nil.
public func CMTimeRangeCopyAsDictionary(_ range: CMTimeRange, allocator: Never?) -> [String: any Sendable]? {
  [kCMTimeRangeStartKey: range.start.dictionary, kCMTimeRangeDurationKey: range.duration.dictionary]
}

/// Returns the range stored by ``CMTimeRangeCopyAsDictionary(_:allocator:)``; invalid if the dictionary of the
/// start or of the duration is missing or invalid.
public func CMTimeRangeMakeFromDictionary(_ dictionaryRepresentation: [String: Any]) -> CMTimeRange {
  guard let start = dictionaryRepresentation[kCMTimeRangeStartKey] as? [String: Any],
    let duration = dictionaryRepresentation[kCMTimeRangeDurationKey] as? [String: Any]
  else { return .invalid }
  return CMTimeRange(start: CMTimeMakeFromDictionary(start), duration: CMTimeMakeFromDictionary(duration))
}
