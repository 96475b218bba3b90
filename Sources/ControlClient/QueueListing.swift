internal import TextFormatting

/// The text of a queue, piece by piece.
package struct QueueListing {
  private let isJSON: Bool
  private var hasBegun = false

  package init(asJSON isJSON: Bool) { self.isJSON = isJSON }

  /// The next songs. `current` is the id of the current one, `total` how many there are: numbers are as wide as that.
  package mutating func text(of songs: [RemoteSong], current: Int?, total: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    let digits = String(total).count
    let lengthWidth = songs.map(\.length.count).max() ?? 0
    for song in songs {
      if isJSON {
        // A line for each song, so that it can be looked at without a tool.
        bytes.append(contentsOf: (hasBegun ? ",\n" : "[\n").utf8)
        song.json.append(to: &bytes)
      } else {
        let number = String(song.position + 1)
        let fields = [
          song.id == current ? ">" : " ", Self.padded(number, digits), Self.padded(song.length, lengthWidth),
          TerminalText.sanitized(song.name),
        ]
        bytes.append(contentsOf: "\(fields[0]) \(fields[1])  \(fields[2])  \(fields[3])\n".utf8)
      }
      hasBegun = true
    }
    return bytes
  }

  /// What comes behind the last song.
  package var end: String { isJSON ? (hasBegun ? "\n]\n" : "[]\n") : "" }

  /// The text behind as many blanks as make it that wide.
  private static func padded(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}
