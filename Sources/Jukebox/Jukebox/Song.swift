package import ControlProtocol
package import Transfer

/// The id of a song in the queue, 1 and above. Ids are not reused while the queue exists, nor after a restart
/// with its state file, which stores the next id.
package struct SongID: RawRepresentable, Hashable, Comparable, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Compares songs by age: the song added earlier has the smaller id.
  package static func < (lhs: SongID, rhs: SongID) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// A file or URL to play, or a part of it. A song has no id; only an entry of a queue has one.
package struct Song: Sendable {
  package let locator: SongLocator
  package var range: SongRange?
  /// The song's metadata; nil until it was read.
  package var metadata: SongMetadata?
  /// The priority. In random order, songs with a higher priority play earlier.
  package var priority: UInt8
  /// The addresses to which a URL may lead, depending on the client that added it.
  package var reach: NetworkReach
  /// The credentials given with the song's URL, or inherited from its playlist. Never saved.
  package var credentials: Credentials?

  /// Creates a song without validation; the player detects songs that cannot be played.
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

  package init(path: [UInt8], range: SongRange? = nil, metadata: SongMetadata? = nil, priority: UInt8 = 0) {
    self.init(SongLocator(path: path), range: range, metadata: metadata, priority: priority)
  }

  /// The playing time in seconds: the length cut to `range`. Nil while the end is unknown.
  package var duration: Double? {
    let whole = metadata?.duration
    guard let range else { return whole }
    let start = range.start.seconds
    guard let end = range.end?.seconds else { return whole.map { max(0, $0 - start) } }
    return max(0, min(end, whole ?? end) - start)
  }
}

package struct QueuedSong: Identifiable, Sendable {
  /// The id, valid while the song is in the queue.
  package let id: SongID
  package let song: Song
  /// The position at which the song starts when it follows another one, in seconds. A long song resumes where
  /// it was left.
  package var start = 0.0
}
