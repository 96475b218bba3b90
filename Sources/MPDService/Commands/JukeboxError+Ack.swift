package import ControlProtocol
package import Jukebox
import MusicFiles

extension JukeboxError {
  /// The refusal in mpd's words.
  package var ack: Ack {
    switch self {
    case .badSongIndex: .badSongIndex
    case .noSuchSong: .noSuchSong
    case .notPlaying: .notPlaying
    case .noCurrentSong: .noCurrentSong
    case .numberTooLarge(let number): .numberTooLarge(number)
    case .moveRelativeToItself: Ack(.argument, "Cannot move current song relative to itself")
    case .songIsCurrent: Ack(.permission, "Cannot edit the current song")
    case .songIsLocal: Ack(.permission, "Cannot edit tags of local file")
    case .queueFull: Ack(.playlistMax, "Playlist is too large")
    case .pathTooLong: Ack(.argument, "The name is too long")
    }
  }
}

extension MusicHome.Problem {
  /// The refusal: mpd's words where it has some, and the reason where it only says no.
  var ack: Ack {
    switch self {
    case .missing: Ack(.noExist, "No such directory")
    case .denied: Ack(.permission, "Access denied: the file is outside of the music directory")
    case .unusable(let reason): Ack(.noExist, reason)
    case .system(let problem): Ack(.system, "\(problem)")
    }
  }
}
