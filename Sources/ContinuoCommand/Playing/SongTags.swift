import Dispatch
import Jukebox
import MP3Decoding
import MusicFiles
import Synchronization

/// What a song is called, read beside playback: the player never waits for tags.
final class SongTags: Sendable {
  private let names = Mutex<[SongID: String]>([:])
  private let queue = DispatchQueue(label: "continuo.tags", qos: .utility)

  /// The name of a song for a person: artist and title from its tags, or else its own name. If the tags are not read
  /// yet, waits for at most `limit` seconds.
  func name(of song: QueuedSong, limit: Double) -> String {
    if let name = names.withLock({ $0[song.id] }) { return name }
    let path = MediaPath(bytes: song.song.path)
    let done = DispatchSemaphore(value: 0)
    queue.async { [self] in
      let name = Self.readName(of: path)
      names.withLock { names in
        // Only what is near is asked for again.
        if names.count > 64 { names = [:] }
        names[song.id] = name
      }
      done.signal()
    }
    _ = done.wait(timeout: .now() + limit)
    return names.withLock { $0[song.id] } ?? Self.fileName(path)
  }

  private static func readName(of path: MediaPath) -> String {
    guard let tags = try? MP3File(pathBytes: path.bytes).readMetadata(),
      let title = tags.title, !title.isEmpty
    else { return fileName(path) }
    guard let artist = tags.artist, !artist.isEmpty else { return title }
    return "\(artist) – \(title)"
  }

  private static func fileName(_ path: MediaPath) -> String { String(decoding: path.name, as: UTF8.self) }
}
