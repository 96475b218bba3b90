package import ControlProtocol

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
  /// With an order of chance, songs with more come sooner.
  package var priority: UInt8

  /// Nothing is checked; that the file exists is the player's business.
  package init(
    path: [UInt8], range: SongRange? = nil, metadata: SongMetadata? = nil, priority: UInt8 = 0
  ) {
    self.priority = priority
    self.path = path
    self.range = range
    self.metadata = metadata
  }

  /// How long the song plays, in seconds: the file's length cut to `range`. `nil` as long as the end is not known.
  package var duration: Double? {
    let file = metadata?.duration
    guard let range else { return file }
    let start = range.start.seconds
    guard let end = range.end?.seconds else { return file.map { max(0, $0 - start) } }
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
