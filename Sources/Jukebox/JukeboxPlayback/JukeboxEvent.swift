import Continuo
package import ControlProtocol
import Foundation
package import Jukebox
import MediaAssets
import MusicFiles
import Transfer

/// An event that observers of a jukebox's player receive, in the order of occurrence.
package enum JukeboxEvent {
  case currentItem(QueuedSong?)
  case didPlayToEndTime(QueuedSong)
  /// The song cannot be played, or cannot continue, for `reason`.
  case failed(QueuedSong, reason: String)
  case timeJumped(QueuedSong)
  /// The time control status changed; `reason` is set while the player waits.
  case timeControlStatus(TimeControlStatus, reason: String?)
  /// Sound stopped because the song's data did not arrive in time or the output was lost; playback resumes
  /// automatically.
  case stalled(QueuedSong)
  /// Progress of loading: ranges in seconds of the medium, stored bytes, and total bytes if known. Sent at most twice a
  /// second, and once before the event that ends the loading.
  case loaded(QueuedSong, ranges: [Range<Double>], bytes: Int64, total: Int64?)
  case network(QueuedSong, NetworkReport)
  /// The medium of a song from the network has provided metadata. The jukebox has received the metadata before.
  case learned(QueuedSong, SongMetadata)
  /// The song is a live stream; `name` is the station's name, nil if unknown.
  case station(QueuedSong, name: String?)
  /// Timed metadata of the stream, valid from `seconds` of the medium onward; 0 if the time is unknown.
  case timedMetadata(QueuedSong, identifier: String, value: String, seconds: Double)
  case interruption
  /// The player failed permanently, for example for lack of memory or descriptors. The jukebox keeps the
  /// position.
  case playerFailed((any Error)?)
}

extension QueuedSong {
  package var url: String { song.locator.urlText }
}

extension SongLocator {
  /// The URL for a player. Bytes of a file's path are percent-encoded, so any name is preserved.
  var mediaURL: URL { URL(string: urlText) ?? URL(fileURLWithPath: displayName) }
}

extension NetworkReport {
  init?(_ note: TransferNote) {
    switch note {
    case .request(let first, let attempt):
      self.init(.request)
      from = first
      self.attempt = attempt
    case .response(let head, let url, _, let attempt):
      self.init(.response)
      self.url = url.text
      status = head.status
      from = head.contentRange?.bytes?.lowerBound
      total = head.contentRange?.total ?? head.contentLength
      self.attempt = attempt
    case .retry(_, let failure):
      self.init(.retry)
      error = failure.message
    case .complete(let total):
      self.init(.complete)
      self.total = total
    case .changed: self.init(What.changed)
    case .failed(let failure):
      self.init(.lost)
      error = failure.message
    case .progress, .entered, .live, .rejoined, .keptInMemory, .metadata: return nil
    }
  }
}

extension SongTag {
  init?(_ item: AVMetadataItem) {
    guard let identifier = item.identifier?.rawValue, let type = Self.types[identifier],
      let text = item.stringValue, !text.isEmpty
    else { return nil }
    self.init(type, Argument(text))
  }

  private static let types: [String: TagType] = [
    "id3/TPE1": .artist, "id3/TPE2": .albumArtist, "id3/TIT2": .title, "id3/TALB": .album,
    "id3/TRCK": .track, "id3/TDRC": .date, "id3/TYER": .date, "id3/TCON": .genre, "id3/TCOM": .composer,
    "id3/TPOS": .disc, "icy/StreamTitle": .title, "icy/icy-name": .name, "icy/icy-genre": .genre,
  ]
}
