package import ControlProtocol
package import TextFormatting

/// A song of a server's home.
package struct FoundSong: Hashable, Sendable {
  /// Its file as the server names it.
  package var file: Argument
  private let title: String?
  private let artist: String?
  private let album: String?
  private let duration: String?

  /// Reads the record of a song; nil if it is none.
  package init?(_ fields: ReplyFields) {
    guard let file = fields.fields.first, file.name == "file" else { return nil }
    self.file = file.value
    title = fields.joined("Title")
    artist = fields.joined("Artist")
    album = fields.joined("Album")
    duration = fields["duration"]
  }

  package var json: JSONValue {
    .object([
      "file": .string(file.description), "title": .string(optional: title),
      "artist": .string(optional: artist),
      "album": .string(optional: album), "duration": .number(written: duration),
    ])
  }
}

/// The text of songs that were found, piece by piece: a line for each.
package struct FoundListing {
  private let isJSON: Bool
  private var hasBegun = false

  package init(asJSON isJSON: Bool) { self.isJSON = isJSON }

  /// The next songs: their files' bytes for a program, what a terminal may show for a person.
  package mutating func text(of songs: [FoundSong], forTerminal isForTerminal: Bool) -> [UInt8] {
    var bytes: [UInt8] = []
    for song in songs {
      if isJSON {
        bytes.append(contentsOf: (hasBegun ? ",\n" : "[\n").utf8)
        song.json.append(to: &bytes)
      } else {
        bytes += isForTerminal ? Array(TerminalText.sanitized(song.file.description).utf8) : song.file.bytes
        bytes.append(UInt8(ascii: "\n"))
      }
      hasBegun = true
    }
    return bytes
  }

  /// What comes behind the last song.
  package var end: String { isJSON ? (hasBegun ? "\n]\n" : "[]\n") : "" }
}
