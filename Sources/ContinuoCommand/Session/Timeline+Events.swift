import ControlProtocol
import Jukebox
import JukeboxPlayback
import MusicFiles
import RunTimeline

extension Timeline.Entry {
  /// What a drawing shows of something that an application's observers saw; nil if nothing.
  init?(_ event: JukeboxApplication.Event, _ host: JukeboxHost) {
    switch event {
    case .song(.current(let song?)):
      let name = MediaPath(bytes: song.song.path).name
      self = .item(index: host.index(of: song), name: String(decoding: name, as: UTF8.self))
    case .song(.current(nil)): self = .noItem
    case .song(.timeJumped): self = .jumped
    case .song(.playedToEnd), .song(.failed), .interruption, .playerFailed: return nil
    case .timeControlStatus(let status, _): self = .sound(Timeline.Sound(status))
    }
  }
}

extension Timeline.Sound {
  /// What is heard of a player in this status while its application runs.
  init(_ status: TimeControlStatus) {
    switch status {
    case .paused: self = .silent
    case .waitingToPlayAtSpecifiedRate: self = .waiting
    case .playing: self = .audible
    }
  }
}
