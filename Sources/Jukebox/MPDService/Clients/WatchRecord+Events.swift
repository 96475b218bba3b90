package import ControlProtocol
import Jukebox
package import JukeboxPlayback

extension WatchRecord.Event {
  /// Creates the record's event from an event of the player; nil if clients get no record of it.
  package init?(_ event: JukeboxEvent, _ host: JukeboxHost) {
    switch event {
    case .currentItem(let song): self = .currentItem(song, host)
    case .didPlayToEndTime(let song): self = .didPlayToEndTime(host.watched(song))
    case .failed(let song, let reason): self = .failed(host.watched(song), url: song.url, error: reason)
    case .timeJumped(let song):
      let seconds = host.place.seconds(of: song.id) ?? 0
      self = .timeJumped(host.watched(song), elapsed: Milliseconds(seconds: seconds))
    case .timeControlStatus(let status, let reason): self = .timeControlStatus(status, reason: reason)
    case .stalled(let song): self = .stalled(host.watched(song))
    case .loaded(let song, let ranges, let bytes, let total):
      let ranges = ranges.map {
        Milliseconds(seconds: $0.lowerBound)..<Milliseconds(seconds: $0.upperBound)
      }
      self = .loaded(host.watched(song), ranges: ranges, bytes: bytes, total: total)
    case .network(let song, let report): self = .network(host.watched(song), report)
    case .timedMetadata(let song, let identifier, let value, let seconds):
      self = .timedMetadata(
        host.watched(song), identifier: identifier, value: value, time: Milliseconds(seconds: seconds))
    case .interruption, .playerFailed, .station, .learned: return nil
    }
  }

  static func currentItem(_ song: QueuedSong?, _ host: JukeboxHost) -> Self {
    .currentItem(song.map { host.watched($0) }, url: song?.url)
  }
}

extension JukeboxHost {
  /// Returns the position and the id of a song, as records contain them.
  fileprivate func watched(_ song: QueuedSong) -> StatusReply.Place {
    StatusReply.Place(song.id, at: index(of: song.id))
  }
}
