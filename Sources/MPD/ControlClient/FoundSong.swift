package import ControlProtocol
package import TextFormatting

package struct FoundSong: Hashable, Sendable {
  /// The file's name, as the server sends it.
  package var file: Argument
  private let title: String?
  private let artist: String?
  private let album: String?
  private let duration: String?
  /// The artist and title for display; nil without a title.
  private var name: String? { title.map { title in artist.map { "\($0) – \(title)" } ?? title } }

  /// Creates a found song from its record in a reply; nil if the record does not describe a song.
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

extension FoundSong {
  /// The line for a terminal: the length, artist and title if known, and the file.
  fileprivate var line: String {
    let length = duration.flatMap { TimeText.parse($0) }.map { ElapsedTime.text($0) } ?? ""
    // Ten columns hold 1:23:45.67.
    let padding = String(repeating: " ", count: max(0, 10 - length.count))
    let texts = [name, file.description].compactMap(\.self).map { TerminalText.sanitized($0) }
    return "\(padding)\(length)  \(texts.joined(separator: "  "))"
  }
}

/// The text of a list of found songs, built in parts, with one line per song.
package struct FoundListing {
  private let isJSON: Bool
  private var hasBegun = false
  package var isEmpty: Bool { !hasBegun }

  package init(asJSON isJSON: Bool) { self.isJSON = isJSON }

  /// Returns the text of the next songs. Without JSON, a terminal gets one line of sanitized text for each
  /// song, with its duration and title. Other readers get only the unchanged bytes of the file names.
  package mutating func text(of songs: [FoundSong], forTerminal isForTerminal: Bool) -> [UInt8] {
    var bytes: [UInt8] = []
    for song in songs {
      if isJSON {
        bytes.append(contentsOf: (hasBegun ? ",\n" : "[\n").utf8)
        song.json.append(to: &bytes)
      } else {
        bytes += isForTerminal ? Array(song.line.utf8) : song.file.bytes
        bytes.append(UInt8(ascii: "\n"))
      }
      hasBegun = true
    }
    return bytes
  }

  package var end: String { isJSON ? (hasBegun ? "\n]\n" : "[]\n") : "" }
}
