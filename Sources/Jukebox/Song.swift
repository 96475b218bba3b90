package import ControlProtocol
package import Transfer

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

/// A file or a URL to play, or a part of it. It has no number: that belongs to its place in a queue.
package struct Song: Sendable {
  /// Where it is.
  package let locator: SongLocator
  /// The part that is played; `nil`: all of it.
  package var range: SongRange?
  /// What it says about itself; `nil` until someone has looked.
  package var metadata: SongMetadata?
  /// With an order of chance, songs with more come sooner.
  package var priority: UInt8
  /// Which addresses a URL may lead to: what those may reach who have added it.
  package var reach: NetworkReach
  /// The credentials that were given with its URL: for this song alone, in memory only.
  package var credentials: Credentials?

  /// Nothing is checked; that there is something to play is the player's business.
  package init(
    _ locator: SongLocator, range: SongRange? = nil, metadata: SongMetadata? = nil, priority: UInt8 = 0,
    reach: NetworkReach = .all, credentials: Credentials? = nil
  ) {
    self.locator = locator
    self.range = range
    self.metadata = metadata
    self.priority = priority
    self.reach = reach
    self.credentials = credentials
  }

  /// The file at an absolute path.
  package init(
    path: [UInt8], range: SongRange? = nil, metadata: SongMetadata? = nil, priority: UInt8 = 0
  ) {
    self.init(SongLocator(path: path), range: range, metadata: metadata, priority: priority)
  }

  /// How long the song plays, in seconds: the whole length cut to `range`. `nil` as long as the end is not known.
  package var duration: Double? {
    let whole = metadata?.duration
    guard let range else { return whole }
    let start = range.start.seconds
    guard let end = range.end?.seconds else { return whole.map { max(0, $0 - start) } }
    return max(0, min(end, whole ?? end) - start)
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
