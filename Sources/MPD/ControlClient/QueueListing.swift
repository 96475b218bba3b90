internal import TextFormatting

/// The text of a queue, built in parts.
package struct QueueListing {
  private let isJSON: Bool
  private var hasBegun = false

  package init(asJSON isJSON: Bool) { self.isJSON = isJSON }

  /// Returns the text of the next songs, one line each. `current` is the current song's id, nil without one. `total`
  /// is the queue's length, which sets the width of the numbers. JSON uses neither.
  package mutating func text(of songs: [RemoteSong], current: Int?, total: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    let digits = String(total).count
    let lengthWidth = songs.map(\.length.count).max() ?? 0
    for song in songs {
      if isJSON {
        // Puts each song on its own line, so that the JSON is readable without a tool.
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

  package var end: String { isJSON ? (hasBegun ? "\n]\n" : "[]\n") : "" }

  private static func padded(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}
