/// The part of a file that is played, as `rangeid` sets it. Without an end it goes on to the end of the file.
package struct SongRange: Hashable, Sendable {
  /// The last millisecond that a range can name, 49 days: what state files have room for.
  package static let limit = Int64(UInt32.max)

  /// Where it begins, from the beginning of the file.
  package let start: Milliseconds
  /// Where it ends; `nil` for the end of the file. Later than `start`.
  package let end: Milliseconds?

  /// `nil` if a time is negative or beyond `limit`, or the end is not later than the start.
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

  /// The whole file, which takes an earlier range away.
  package static let whole = SongRange()
}

/// Where in the current song to go.
package enum SeekTarget: Hashable, Sendable {
  /// That far from the song's beginning; not negative.
  case absolute(Duration)
  /// That far from the present position, back if negative.
  case relative(Duration)
}
