package import ControlProtocol
package import Jukebox
import MusicFiles

extension JukeboxError {
  package var ack: Ack { Ack(code, message) }

  private var code: Ack.Code {
    switch self {
    case .badSongIndex, .numberTooLarge, .moveRelativeToItself, .pathTooLong: .argument
    case .noSuchSong: .noExist
    case .notPlaying, .noCurrentSong: .playerSync
    case .songIsCurrent, .songIsLocal: .permission
    case .notSeekable: .unknown
    case .queueFull: .playlistMax
    }
  }
}

extension MusicHome.Problem {
  /// The error in mpd's protocol, in mpd's words if it has some for this case.
  var ack: Ack {
    switch self {
    case .missing: Ack(.noExist, "No such directory")
    case .unusable(let reason): Ack(.noExist, reason)
    case .system(let problem): Ack(.system, "\(problem)")
    }
  }
}
