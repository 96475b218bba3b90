/// The number of a song in the queue: from 1 on, never used again as long as the queue lives (also across restarts,
/// since the state file keeps it).
package struct SongID: RawRepresentable, Hashable, Comparable, Sendable {
  /// 1 and above.
  package let rawValue: UInt32

  /// Any number; whether a song has it, the queue knows.
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The older song is the smaller one.
  package static func < (lhs: SongID, rhs: SongID) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// The part of a file that is played, in whole milliseconds, as `rangeid` sets it.
package struct SongRange: Hashable, Sendable {
  /// Where the song begins in the file, in milliseconds.
  package let start: UInt32
  /// Where it ends in the file, in milliseconds, above `start`; `nil`: with the file.
  package let end: UInt32?

  /// `nil` if `end` is not behind `start`.
  package init?(start: UInt32, end: UInt32? = nil) {
    if let end, end <= start { return nil }
    self.start = start
    self.end = end
  }

  /// From seconds, rounded to milliseconds; `nil` if they are negative, not finite, beyond 49 days, or `end` is not
  /// behind `start`.
  package init?(startSeconds: Double, endSeconds: Double?) {
    guard let start = Self.milliseconds(startSeconds) else { return nil }
    guard let endSeconds else {
      self.init(start: start)
      return
    }
    guard let end = Self.milliseconds(endSeconds) else { return nil }
    self.init(start: start, end: end)
  }

  private static func milliseconds(_ seconds: Double) -> UInt32? {
    UInt32(exactly: (seconds * 1000).rounded())
  }
}

/// A file to play, or a part of one. It has no number: that belongs to its place in a queue.
package struct Song: Sendable {
  /// The longest path that Linux opens: PATH_MAX without its closing zero.
  package static let maximumPathLength = 4095

  /// The file's name as the file system has it: any bytes, UTF-8 or not.
  package let path: [UInt8]
  /// The part that is played; `nil`: all of it.
  package var range: SongRange?
  /// What the file says about itself; `nil` until someone has looked.
  package var metadata: SongMetadata?

  /// Nothing is checked; that the file exists is the player's business.
  package init(path: [UInt8], range: SongRange? = nil, metadata: SongMetadata? = nil) {
    self.path = path
    self.range = range
    self.metadata = metadata
  }

  /// How long the song plays, in seconds: the file's length cut to `range`. `nil` as long as the end is not known.
  package var duration: Double? {
    let file = metadata?.duration
    guard let range else { return file }
    let start = Double(range.start) / 1000
    guard let end = range.end.map({ Double($0) / 1000 }) else { return file.map { max(0, $0 - start) } }
    return max(0, min(end, file ?? end) - start)
  }
}

/// A song with its number in the queue.
package struct QueuedSong: Identifiable, Sendable {
  /// The number it has as long as it is in the queue.
  package let id: SongID
  /// The song as it was when it was asked for.
  package let song: Song

  init(id: SongID, song: Song) {
    self.id = id
    self.song = song
  }
}
