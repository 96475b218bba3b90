import ControlProtocol
import Jukebox
import JukeboxPlayback
import RunTimeline

extension Timeline.Entry {
  /// Creates the entry for an event that an application's observers saw; nil for events that the drawing does
  /// not show.
  init?(_ event: JukeboxEvent, _ host: JukeboxHost) {
    switch event {
    case .currentItem(let song?): self = .item(index: host.index(of: song), name: song.fileName)
    case .currentItem(nil): self = .noItem
    case .timeJumped: self = .jumped
    case .timeControlStatus(.paused, _): self = .sound(.silent)
    case .timeControlStatus(.waitingToPlayAtSpecifiedRate, _): self = .sound(.waiting)
    case .timeControlStatus(.playing, _): self = .sound(.audible)
    case .didPlayToEndTime, .failed, .interruption, .playerFailed, .stalled, .loaded, .network,
      .station, .timedMetadata:
      return nil
    }
  }
}
