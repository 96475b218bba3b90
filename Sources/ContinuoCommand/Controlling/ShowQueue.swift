import ArgumentParser
import ControlProtocol

/// `continuo queue`.
struct ShowQueue: ControlCommand {
  static let configuration = CommandConfiguration.control(
    "queue", "Lists the songs of the queue.",
    """
    The current song has a > in front. --json prints an array with one object for each song: position (from 0), id, \
    file, title, artist, album, duration (seconds); what is not known is null.
    """)

  /// Songs to ask for at a time: less than a server may have to hold for one client, however many tags they have.
  static let pageSize = 1000

  @OptionGroup var control: ControlOptions
  @OptionGroup var form: FormOptions

  func perform(in session: inout ControlSession, output: CommandOutput) throws -> ExitStatus {
    var listing = QueueListing(asJSON: form.json)
    var start = 0
    while true {
      let page = PositionRange(UInt32(start), UInt32(start + Self.pageSize))
      let replies = try session.perform([.status, .playlistinfo(page)])
      guard replies.count > 2 else { throw ProtocolTrouble() }
      let songs = replies[1].records(from: "file").compactMap { RemoteSong($0) }
      try output.write(
        listing.text(
          of: songs, current: replies[0]["songid"].flatMap { Int($0) },
          total: replies[0]["playlistlength"].flatMap { Int($0) } ?? 0))
      start += Self.pageSize
      // A shorter queue than a moment ago has no such page any more.
      guard songs.count == Self.pageSize, let length = replies[0]["playlistlength"].flatMap({ Int($0) }),
        start < length
      else { break }
    }
    try output.write(listing.end)
    return .played
  }
}

/// The text of a queue, piece by piece.
struct QueueListing {
  private let isJSON: Bool
  private var hasBegun = false

  init(asJSON isJSON: Bool) { self.isJSON = isJSON }

  /// The next songs. `current` is the id of the current one, `total` how many there are: numbers are as wide as that.
  mutating func text(of songs: [RemoteSong], current: Int?, total: Int) -> [UInt8] {
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
  var end: String { isJSON ? (hasBegun ? "\n]\n" : "[]\n") : "" }

  /// The text behind as many blanks as make it that wide.
  private static func padded(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}
