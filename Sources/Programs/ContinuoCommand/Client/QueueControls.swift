import ArgumentParser
import ControlClient
import ControlProtocol
import TextFormatting

/// A song of the queue, or several consecutive ones: `3`, `2-5`, or `4-` to the end. The first song is 1.
struct QueueNumbers: Hashable, Sendable {
  /// The position of the first song, from 0 as in the protocol.
  let start: UInt32
  /// The position after the last song; nil for the end of the queue.
  let end: UInt32?

  init(parsing text: String) throws(SyntaxError) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
    start = try Self.position(parts[0])
    switch parts.count {
    case 1: end = start + 1
    case 2 where parts[1].isEmpty: end = nil
    case 2:
      let last = try Self.position(parts[1])
      guard last >= start else { throw SyntaxError("\"\(text)\": the end is before the start") }
      end = last + 1
    default: throw SyntaxError("\"\(text)\" is not a song like 3, or songs like 2-5 or 4-")
    }
  }

  /// Parses the number of a song. Returns its position from 0.
  @Sendable static func position(_ text: String) throws(SyntaxError) -> UInt32 {
    guard let number = UInt32(text), number > 0, text.first != "+" else {
      throw SyntaxError("\"\(text)\" is not a song number: the first song is 1")
    }
    return number - 1
  }

  var argument: ControlProtocol.Argument { ControlProtocol.Argument("\(start):\(end.map { "\($0)" } ?? "")") }
}

extension MPDClient {
  /// Sends requests about songs of the queue. `trouble` replaces the server's message about an invalid argument,
  /// because its positions count from 0 and not from 1 as in the user's input.
  fileprivate mutating func askOfQueue(_ requests: [Request], trouble: String = "no song with this number")
    throws
  {
    guard !requests.isEmpty else { return }
    do {
      _ = try ask(requests)
    } catch ControlClientError.refused(var refusal) where refusal.code == Ack.Code.argument.rawValue {
      refusal.message = "\(trouble); continuo queue lists the numbers"
      throw ControlClientError.refused(refusal)
    }
  }
}

struct Jump: ControlCommand {
  static let configuration = CommandConfiguration.control(
    "jump", "Plays a song of the queue.",
    """
    Songs have the numbers that continuo queue shows: the first is 1.

    EXAMPLES
      continuo jump 3
    """)

  @OptionGroup var control: ControlOptions
  @ArgumentParser.Argument(
    help: ArgumentHelp("The number of the song.", valueName: "N"), transform: QueueNumbers.position)
  var number: UInt32

  func perform(with client: inout MPDClient, output: CommandOutput) throws {
    try client.askOfQueue([try Request("play", [.init("\(number)")])], trouble: "no song \(number + 1)")
  }
}

struct Delete: ControlCommand {
  static let configuration = CommandConfiguration.control(
    "delete", "Removes songs from the queue.", usage: "continuo delete [OPTIONS] N|N-M ...",
    """
    Songs have the numbers that continuo queue shows, before any of them is removed.

    EXAMPLES
      continuo delete 3
      continuo delete 1 5-7
      continuo delete 4-
          All but the first three.
    """)

  @OptionGroup var control: ControlOptions
  @ArgumentParser.Argument(
    help: ArgumentHelp("Song numbers.", valueName: "N|N-M"), transform: QueueNumbers.init(parsing:))
  var songs: [QueueNumbers]

  func perform(with client: inout MPDClient, output: CommandOutput) throws {
    var ranges: [(start: UInt32, end: UInt32)] = []
    for song in songs.sorted(by: { $0.start < $1.start }) {
      let end = song.end ?? .max
      if let last = ranges.last, song.start < last.end {
        ranges[ranges.count - 1].end = max(last.end, end)
      } else {
        ranges.append((song.start, end))
      }
    }
    // Deletes from the back, so that the remaining songs keep their numbers.
    try client.askOfQueue(
      ranges.reversed().map { start, end in
        try Request("delete", [.init(end == .max ? "\(start):" : "\(start):\(end)")])
      })
  }
}

struct Crop: ControlCommand {
  static let configuration = CommandConfiguration.control(
    "crop", "Removes all songs except the current one from the queue.")
  @OptionGroup var control: ControlOptions

  func perform(with client: inout MPDClient, output: CommandOutput) throws {
    let status = try client.ask("status")
    guard let length = status["playlistlength"].flatMap({ UInt32($0) }) else { throw ProtocolTrouble() }
    guard let song = status["song"].flatMap({ UInt32($0) }) else {
      output.complain("no current song to keep; continuo clear empties the queue")
      throw ExitStatus.refused
    }
    // Deletes from the back, so that the position of the current song stays valid.
    var requests: [Request] = []
    if song + 1 < length { requests.append(try Request("delete", [.init("\(song + 1):")])) }
    if song > 0 { requests.append(try Request("delete", [.init("0:\(song)")])) }
    try client.askOfQueue(requests)
  }
}

struct Shuffle: SimpleControl {
  static let configuration = CommandConfiguration.control(
    "shuffle", "Puts the songs of the queue into a random order.",
    "The order of the queue itself changes; continuo random on plays an unchanged queue in random order.")
  @OptionGroup var control: ControlOptions
}

struct Move: ControlCommand {
  static let configuration = CommandConfiguration.control(
    "move", "Moves songs to another position in the queue.", usage: "continuo move [OPTIONS] N|N-M PLACE",
    """
    Songs have the numbers that continuo queue shows; PLACE is the new number of the first of them.

    EXAMPLES
      continuo move 5 1
      continuo move 5-7 2
    """)

  @OptionGroup var control: ControlOptions
  @ArgumentParser.Argument(
    help: ArgumentHelp("Song numbers.", valueName: "N|N-M"), transform: QueueNumbers.init(parsing:))
  var songs: QueueNumbers
  @ArgumentParser.Argument(
    help: ArgumentHelp("Destination position.", valueName: "PLACE"), transform: QueueNumbers.position)
  var place: UInt32

  func perform(with client: inout MPDClient, output: CommandOutput) throws {
    try client.askOfQueue(
      [try Request("move", [songs.argument, .init("\(place)")])],
      trouble: "no such songs, or no place \(place + 1) for them")
  }
}

struct ShowQueue: ControlCommand {
  static let configuration = CommandConfiguration.control(
    "queue", "Lists the songs of the queue.",
    """
    The current song has a > in front. --json prints an array with one object for each song: position (from 0), id, \
    file, title, artist, album, duration (seconds); unknown values are null.
    """)

  /// The number of songs in a request. With usual tags its reply stays below mpd's output limit of 8 MiB.
  static let pageSize = 1000

  @OptionGroup var control: ControlOptions
  @OptionGroup var form: FormOptions

  func perform(with client: inout MPDClient, output: CommandOutput) throws {
    var listing = QueueListing(asJSON: form.json)
    var start = 0
    while true {
      let page = ControlProtocol.Argument("\(start):\(start + Self.pageSize)")
      let replies = try client.ask([Request("status"), Request("playlistinfo", [page])])
      guard replies.count > 2 else { throw ProtocolTrouble() }
      let songs = replies[1].records(from: "file").compactMap { RemoteSong($0) }
      let total = replies[0]["playlistlength"].flatMap { Int($0) } ?? 0
      try output.write(
        listing.text(of: songs, current: replies[0]["songid"].flatMap { Int($0) }, total: total))
      start += Self.pageSize
      // The server refuses a page after the end of the queue, whose length may change between replies.
      guard songs.count == Self.pageSize, start < total else { break }
    }
    try output.write(listing.end)
  }
}
