import AudioCore
package import Clocks
import ControlProtocol
import Dispatch
import Glibc
package import Jukebox
import SoundFileDecoding
import Synchronization
package import SystemSupport

/// Reads the tags of files in the background, in the order in which the songs were added. Reads one file at a
/// time, so that decoding for playback waits for at most one of them. 100,000 songs take some seconds: 23 to
/// 58 µs a file were measured with cached files.
package final class TagReader: Sendable {
  private struct State {
    var waiting: [(id: SongID, path: [UInt8])] = []
    var isReading = false
  }

  /// The limits of a batch of results. Each batch is an edit of the queue, of which clients are notified.
  private static let batchSize = 1000
  private static let batchSeconds = 0.1

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "continuo.tags", qos: .utility)
  private let clock: any HostClock
  private let isWanted: @Sendable (SongID) -> Bool
  private let onRead: @Sendable ([(id: SongID, metadata: SongMetadata)]) -> Void

  /// Creates a reader, which calls `onRead` on its own dispatch queue. A file is not read if `isWanted`, called on that
  /// queue before the file's turn, returns false for its song.
  package init(
    clock: any HostClock, isWanted: @escaping @Sendable (SongID) -> Bool = { _ in true },
    onRead: @escaping @Sendable ([(id: SongID, metadata: SongMetadata)]) -> Void
  ) {
    self.clock = clock
    self.isWanted = isWanted
    self.onRead = onRead
  }

  /// Queues the files among these songs for reading. Returns immediately; any thread.
  package func read(_ songs: [(id: SongID, locator: SongLocator)]) {
    let songs = songs.compactMap { song in song.locator.path.map { (id: song.id, path: $0) } }
    guard !songs.isEmpty else { return }
    let mustStart = state.withLock { state in
      state.waiting += songs
      defer { state.isReading = true }
      return !state.isReading
    }
    if mustStart { queue.async { self.work() } }
  }

  private func work() {
    while true {
      let songs = state.withLock { state in
        if state.waiting.isEmpty { state.isReading = false }
        defer { state.waiting = [] }
        return state.waiting
      }
      guard !songs.isEmpty else { return }
      var batch: [(id: SongID, metadata: SongMetadata)] = []
      var start = clock.now
      for song in songs where isWanted(song.id) {
        batch.append((song.id, SongMetadata(path: song.path)))
        let now = clock.now
        if batch.count >= Self.batchSize || now.seconds(since: start) >= Self.batchSeconds {
          onRead(batch)
          batch = []
          start = now
        }
      }
      if !batch.isEmpty { onRead(batch) }
    }
  }
}

extension SongMetadata {
  /// Reads a file's metadata. An unreadable file has at most a modification time. Blocks on the disk.
  package init(path: [UInt8]) {
    self =
      (try? SongMetadata(reading: path))
      ?? SongMetadata(modified: (try? FileStatus(of: MediaPath(bytes: path)))?.modified)
  }

  /// Reads a file's metadata. A file without audio has only a modification time. Blocks on the disk.
  ///
  /// - Throws: The reason why the file could not be read, which need not last: its permissions, the disk, a
  ///   shortage of memory or a library that is not installed.
  package init(reading path: [UInt8]) throws(FileBytes.Problem) {
    let modified = try FileStatus(of: MediaPath(bytes: path)).modified
    let tags: AudioMetadata
    do throws(DecodingError) {
      tags = try AudioFile(pathBytes: path).readMetadata()
    } catch {
      switch error.reason {
      case .notRecognized, .decodeFailed: self.init(modified: modified)
      case .notFound: throw .system(ENOENT)
      default: throw .interrupted(error.message)
      }
      return
    }
    // mpd's clients expect the tags in this order.
    let known: [(TagType, String?)] = [
      (.artist, tags.artist), (.albumArtist, tags.albumArtist), (.title, tags.title),
      (.album, tags.album), (.track, tags.trackNumber.map(String.init)), (.date, tags.date),
      (.genre, tags.genre), (.composer, tags.composer), (.disc, tags.discNumber.map(String.init)),
    ]
    self.init(
      duration: tags.duration, modified: modified, sampleRate: tags.format.sampleRate,
      channels: tags.format.channelCount,
      tags: known.compactMap { kind, value in
        value.flatMap { $0.isEmpty ? nil : SongTag(kind, Argument($0)) }
      })
  }
}
