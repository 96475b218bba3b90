/// A refusal: why a command was not carried out.
package struct Ack: Error, Hashable, Sendable {
  /// MPD's numbers, and no others: python-mpd2 raises an error of its own on a number it does not know.
  package enum Code: Int, Hashable, Sendable, CaseIterable {
    /// Something that is not a list was used as one.
    case notList = 1
    /// An argument is wrong, or there are too many or too few.
    case argument = 2
    /// The password is wrong.
    case password = 3
    /// This client may not do that.
    case permission = 4
    /// No such command, or the line is not one.
    case unknown = 5
    /// No such song, file, output, playlist.
    case noExist = 50
    /// The queue is full.
    case playlistMax = 51
    /// The system refused.
    case system = 52
    /// A playlist could not be loaded.
    case playlistLoad = 53
    /// An update is under way.
    case updateAlready = 54
    /// It does not fit what the player is doing.
    case playerSync = 55
    /// It exists already.
    case exist = 56
  }

  /// The kind of refusal, for programs.
  package var code: Code
  /// The refusal in words, for people. One line; written with what is not UTF-8 escaped and cut to the line's limit.
  package var message: String

  /// A refusal with this code and text.
  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The line as sent.
  ///
  /// - Parameters:
  ///   - index: The place of the command in its list, from 0; 0 outside a list.
  ///   - command: The command's name; empty if there is no such command.
  package func line(index: Int = 0, command: String = "") -> [UInt8] {
    var line = Array("ACK [\(code.rawValue)@\(index)] {\(command)} ".utf8)
    line += SanitizedText.bytes(of: Array(message.utf8), limit: ProtocolLimits.replyLine - line.count - 1)
    line.append(Byte.newline)
    return line
  }
}

extension Ack: CustomStringConvertible {
  /// The text alone.
  package var description: String { message }
}

/// The refusals that mpd words in one place for several commands, in its words.
extension Ack {
  /// A position outside the queue.
  package static let badSongIndex = Ack(.argument, "Bad song index")
  /// An id that is not in the queue.
  package static let noSuchSong = Ack(.noExist, "No such song")
  /// Seeking while nothing plays.
  package static let notPlaying = Ack(.playerSync, "Not playing")
  /// An output's number that is not one.
  package static let noSuchOutput = Ack(.noExist, "No such audio output")
  /// A stored playlist that is not there.
  package static let noSuchPlaylist = Ack(.noExist, "No such playlist")
  /// A picture was asked for from beyond its end.
  package static let badFileOffset = Ack(.argument, "Bad file offset")
}
