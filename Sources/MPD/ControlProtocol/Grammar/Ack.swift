/// A refusal: the reason why a command was not performed, or only in part.
package struct Ack: Error, Hashable, Sendable {
  /// MPD's error codes. Other numbers are not allowed, since python-mpd2 raises an exception for an unknown
  /// one.
  package enum Code: Int, Hashable, Sendable, CaseIterable {
    /// An argument is invalid, or the number of arguments is wrong.
    case argument = 2
    case password = 3
    case permission = 4
    /// The command or a feature that it needs does not exist here, or the line is not a request.
    case unknown = 5
    /// An object that the command names, such as a song, file, output or playlist, does not exist or is unusable.
    case noExist = 50
    case playlistMax = 51
    case system = 52
    case updateAlready = 54
    /// The command does not fit the state of the player or of the application.
    case playerSync = 55
    case exist = 56
  }

  package var code: Code
  /// The message for people, one line. When sent, control characters become blanks and the line is cut to
  /// `ProtocolLimits.replyLine`.
  package var message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// Returns the line to send.
  ///
  /// - Parameters:
  ///   - index: The index of the command in its list, from 0; 0 outside a list.
  ///   - command: The command's name; empty if it does not exist or the line is not a request.
  package func line(index: Int = 0, command: String = "") -> [UInt8] {
    var line = Array("ACK [\(code.rawValue)@\(index)] {\(command)} ".utf8)
    line += SanitizedText.bytes(of: Array(message.utf8), limit: ProtocolLimits.replyLine - line.count - 1)
    line.append(Byte.newline)
    return line
  }
}

extension Ack: CustomStringConvertible {
  package var description: String { message }
}

/// Refusals that are used in several places, in mpd's words where mpd has them.
extension Ack {
  package static let noCrossfade = Ack(
    .argument, "no crossfade: it mixes two songs, and this queue plays the exact frames of each")
  package static func interrupted(_ reason: String) -> Ack { Ack(.system, "nothing was done: \(reason)") }

  package static let badSongIndex = Ack(.argument, "Bad song index")
  package static let noSuchSong = Ack(.noExist, "No such song")
  package static let noSuchOutput = Ack(.noExist, "No such audio output")
  package static let noSuchPlaylist = Ack(.noExist, "No such playlist")
  package static let badFileOffset = Ack(.argument, "Bad file offset")
}
