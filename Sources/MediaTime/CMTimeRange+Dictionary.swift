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
