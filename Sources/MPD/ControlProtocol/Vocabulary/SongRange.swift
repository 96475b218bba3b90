/// The part of a file that is played, as set by `rangeid`. Without an end it extends to the end of the file.
package struct SongRange: Hashable, Sendable {
  /// The maximum time in a range, in milliseconds (49 days): the largest that state files can store.
  package static let limit = Int64(UInt32.max)

  /// The start, from the beginning of the file.
  package let start: Milliseconds
  /// The end, later than `start`; nil for the end of the file.
  package let end: Milliseconds?

  /// Creates a range; nil if a time is negative or above `limit`, or if the end is not later than the start.
  package init?(start: Milliseconds, end: Milliseconds?) {
    guard (0...Self.limit).contains(start.rawValue) else { return nil }
    if let end { guard end > start, end.rawValue <= Self.limit else { return nil } }
    self.start = start
    self.end = end
  }

  private init() {
    start = Milliseconds(rawValue: 0)
    end = nil
  }

  /// The whole file; setting it removes an earlier range.
  package static let whole = SongRange()
}

/// The target of a seek in the current song.
package enum SeekTarget: Hashable, Sendable {
  /// The time from the beginning of the song, or of its range if one is set; not negative.
  case absolute(Duration)
  /// The distance from the current position; negative for backward.
  case relative(Duration)
}
