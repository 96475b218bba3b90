import ArgumentParser
import ControlClient
import ControlProtocol
import TextFormatting

/// A position in the queue, counted from 1 for people.
struct QueueNumber: Hashable, Sendable {
  /// The position from 0, as in the protocol.
  let index: UInt32

  init(parsing text: String) throws(SyntaxError) {
    guard let number = UInt32(text), number > 0, text.first != "+" else {
      throw SyntaxError("\"\(text)\" is not a number of a song: the first one of the queue is 1")
    }
    index = number - 1
  }
}

/// A song of the queue, or several consecutive ones: `3`, `2-5`, or `4-` to the end.
struct QueueNumbers: Hashable, Sendable {
  let start: UInt32
  /// The position after the last song; nil for the end of the queue.
  let end: UInt32?

  init(parsing text: String) throws(SyntaxError) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
    start = try QueueNumber(parsing: parts[0]).index
    switch parts.count {
    case 1: end = start + 1
    case 2 where parts[1].isEmpty: end = nil
    case 2:
      let last = try QueueNumber(parsing: parts[1]).index
      guard last >= start else { throw SyntaxError("\"\(text)\" ends before it begins") }
      end = last + 1
    default: throw SyntaxError("\"\(text)\" is not a song like 3, or songs like 2-5 or 4-")
    }
  }

  var argument: ControlProtocol.Argument { ControlProtocol.Argument("\(start):\(end.map { "\($0)" } ?? "")") }
}

extension MPDClient {
  /// Sends requests about songs of the queue. If a song does not exist, the server's message has positions
  /// from 0, which the user did not type. Another message replaces it.
  fileprivate mutating func askOfQueue(_ requests: [Request]) throws {
    do {
      _ = try ask(requests)
    } catch ControlClientError.refused(var refusal) where refusal.code == Ack.Code.argument.rawValue {
      refusal.message = "the queue has no such number; continuo queue shows them"
      throw ControlClientError.refused(refusal)
    }
  }
}

/// `continuo jump`.
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
    help: ArgumentHelp("The number of the song.", valueName: "N"), transform: QueueNumber.init(parsing:))
  var number: QueueNumber

  func perform(with client: inout MPDClient, output: CommandOutput) throws -> ExitStatus {
    try client.askOfQueue([try Request("play", [ControlProtocol.Argument("\(number.index)")])])
    return .played
  }
}

/// `continuo delete`.
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

  func perform(with client: inout MPDClient, output: CommandOutput) throws -> ExitStatus {
    // Deletes from the back, so that the remaining songs keep their numbers, and each song once.
    var limit = UInt32.max
    var requests: [Request] = []
    for song in songs.sorted(by: { $0.start > $1.start }) {
      let end = min(song.end ?? .max, limit)
      guard song.start < end else { continue }
      limit = song.start
      let range = end == .max ? "\(song.start):" : "\(song.start):\(end)"
      requests.append(try Request("delete", [ControlProtocol.Argument(range)]))
    }
    try client.askOfQueue(requests)
    return .played
  }
}

/// `continuo move`.
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
    help: ArgumentHelp("Destination position.", valueName: "PLACE"), transform: QueueNumber.init(parsing:))
  var place: QueueNumber

  func perform(with client: inout MPDClient, output: CommandOutput) throws -> ExitStatus {
    try client.askOfQueue([try Request("move", [songs.argument, ControlProtocol.Argument("\(place.index)")])])
    return .played
  }
}
