import ControlProtocol
import Jukebox
import JukeboxPlayback

extension WatchRecord.Event {
  /// What watchers hear of something that an application's observers saw; nil if nothing.
  init?(_ event: JukeboxApplication.Event, _ host: JukeboxHost) {
    switch event {
    case .song(.current(let song)): self = .currentItem(song, host)
    case .song(.playedToEnd(let song)): self = .didPlayToEndTime(host.watched(song))
    case .song(.failed(let song, let reason)):
      self = .failed(host.watched(song), url: song.url, error: reason)
    case .song(.timeJumped(let song)):
      let seconds = host.place.seconds(of: song.id) ?? 0
      self = .timeJumped(host.watched(song), elapsed: Milliseconds(seconds: seconds))
    case .timeControlStatus(let status, let reason):
      self = .timeControlStatus(status, reason: reason)
    case .interruption, .playerFailed: return nil
    }
  }

  /// Another song is the current one, or none.
  static func currentItem(_ song: QueuedSong?, _ host: JukeboxHost) -> Self {
    .currentItem(song.map { host.watched($0) }, url: song?.url)
  }
}

extension JukeboxHost {
  /// A song as records name it.
  fileprivate func watched(_ song: QueuedSong) -> StatusReply.Place {
    StatusReply.Place(song.id, at: index(of: song))
  }
}
