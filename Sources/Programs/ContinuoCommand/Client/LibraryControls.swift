import ArgumentParser
import ControlClient
import ControlProtocol
import MusicFiles
import TextFormatting

struct Search: ControlCommand {
  static let configuration = CommandConfiguration.control(
    "search", "Finds songs in the server's music directory by their tags.",
    usage: "continuo search [OPTIONS] WORD ...",
    """
    A song matches if each WORD is in one of its tags; TAG=TEXT must be in that tag. Case is ignored. On a terminal \
    each song is printed with its length, artist, title and file. Otherwise each line is a file, as continuo add \
    --host accepts it. --json prints an array with one object for each song: file, title, artist, album, duration \
    (seconds); unknown values are null. If nothing is found, the exit status is 1, too.

    EXAMPLES
      continuo search pachelbel canon
      continuo search --add album=Musikalische genre=baroque
          Adds the songs to the queue instead of printing them.
    """)

  @OptionGroup var control: ControlOptions
  @OptionGroup var form: FormOptions
  @Flag(help: "Add the songs to the end of the queue.") var add = false
  @ArgumentParser.Argument(help: ArgumentHelp("A word, or TAG=TEXT.", valueName: "WORD")) var words: [String]

  mutating func validate() throws {
    if words.contains("") { throw ValidationError("Empty search word.") }
    if add, form.json { throw ValidationError("--json cannot be combined with --add.") }
  }

  var filter: ControlProtocol.Argument {
    ControlProtocol.Argument(
      "(" + words.map(Self.condition).joined(separator: " AND ") + ")")
  }

  private static func condition(_ word: String) -> String {
    var tag = "any"
    var text = Substring(word)
    if let equals = word.firstIndex(of: "="), equals > word.startIndex,
      word[..<equals].allSatisfy({ $0.isASCII && $0.isLetter })
    {
      tag = String(word[..<equals])
      text = word[word.index(after: equals)...]
    }
    var quoted = ""
    for character in text {
      if character == "'" || character == "\\" || character == "\"" { quoted += "\\" }
      quoted.append(character)
    }
    return "(\(tag) contains '\(quoted)')"
  }

  /// The number of songs in a request. With usual tags its reply stays below mpd's output limit of 8 MiB.
  static let pageSize = 1000

  func perform(with client: inout MPDClient, output: CommandOutput) throws {
    if add {
      // `searchadd` has the same reply whether it found songs or not.
      guard try !find(0..<1, with: &client).isEmpty else { throw try nothingFound(with: &client, output) }
      try client.ask("searchadd", [filter], timeout: MPDClient.patience)
      return
    }
    var listing = FoundListing(asJSON: form.json)
    var start = 0
    while true {
      let songs = try find(start..<start + Self.pageSize, with: &client)
      try output.write(listing.text(of: songs, forTerminal: output.isTerminal))
      if songs.isEmpty, start == 0, !form.json { throw try nothingFound(with: &client, output) }
      start += Self.pageSize
      guard songs.count == Self.pageSize else { break }
    }
    try output.write(listing.end)
    if listing.isEmpty { throw ExitStatus.refused }
  }

  private func nothingFound(with client: inout MPDClient, _ output: CommandOutput) throws -> ExitStatus {
    let isEmpty = try client.ask("stats")["songs"] == "0"
    output.complain(
      "nothing found" + (isEmpty ? ": the server knows no songs (continuo serve --home DIRECTORY)" : ""))
    return .refused
  }

  /// Returns the songs of a part of the result. If the server refuses a tag's name, the message lists all
  /// tags.
  private func find(_ part: Range<Int>, with client: inout MPDClient) throws -> [FoundSong] {
    let window = ControlProtocol.Argument("\(part.lowerBound):\(part.upperBound)")
    do {
      return try client.ask("search", [filter, "window", window], timeout: MPDClient.patience)
        .records(from: "file").compactMap { FoundSong($0) }
    } catch ControlClientError.refused(var refusal) where refusal.message.hasPrefix("Unknown filter type") {
      let tags = try client.ask("tagtypes").fields.map { $0.value.description.lowercased() }
      refusal.message += "; the tags are any, file, \(tags.joined(separator: ", "))"
      throw ControlClientError.refused(refusal)
    }
  }
}

struct Update: ControlCommand {
  static let configuration = CommandConfiguration.control(
    "update", "Scans the server's music directory for new and changed files.",
    usage: "continuo update [OPTIONS] [NAME]",
    """
    A running server notices most changes itself. This command is for disks that report none, such as those of other \
    machines. --json prints an object with the key job, the number of the update.

    EXAMPLES
      continuo update
      continuo update --wait New
          Returns when the folder New has been scanned.
    """)

  @OptionGroup var control: ControlOptions
  @OptionGroup var form: FormOptions
  @Flag(help: UnplayableFiles.help) var listUnplayable = false
  @Flag(help: "Wait until the update is complete.") var wait = false
  @ArgumentParser.Argument(help: "The folder or file, as the server names it. (default: all)")
  var name: String?

  func perform(with client: inout MPDClient, output: CommandOutput) throws {
    let path = name.map { RawArguments.bytes(of: $0).bytes }
    let job = try client.ask("update", path.map { [.init($0)] } ?? [])["updating_db"]
    if wait {
      while try client.ask("status")["updating_db"] != nil {
        try client.awaitChange(of: "update")
      }
    }
    try UnplayableFiles.report(
      [path.map { .init($0) }], areListed: listUnplayable, with: &client, output)
    if form.json { try output.write(.object(["job": .number(written: job)])) }
  }
}

extension MPDClient {
  /// Returns once a part of the server has changed, or after `limit` seconds if the server still answers. Throws
  /// `ControlClientError.timeout` if it does not.
  mutating func awaitChange(of part: String, limit: Double = patience) throws {
    try send(Request("idle", [Argument(part)]), timeout: Self.quickPatience)
    do {
      _ = try reply(timeout: limit)
    } catch ControlClientError.timeout {
      // If a change crosses with `noidle`, the only reply is that to `idle`.
      try send(Request("noidle"), timeout: Self.quickPatience)
      _ = try reply(timeout: Self.quickPatience)
    }
  }
}

struct Playlists: ControlCommand {
  static let configuration = CommandConfiguration.control(
    "playlists", "Lists the stored playlists, or the songs of one.",
    """
    --json prints an array of names, or of files.

    EXAMPLES
      continuo playlists
      continuo playlists evening
    """)

  @OptionGroup var control: ControlOptions
  @OptionGroup var form: FormOptions
  @ArgumentParser.Argument(help: "The playlist whose songs to list.") var name: String?

  func perform(with client: inout MPDClient, output: CommandOutput) throws {
    let reply =
      if let name {
        try client.ask("listplaylist", [.init(name)], timeout: MPDClient.patience)
      } else {
        try client.ask("listplaylists")
      }
    let entries = reply.fields.filter { $0.name == (name == nil ? "playlist" : "file") }.map(\.value)
    if form.json {
      try output.write(.array(entries.map { .string($0.description) }))
    } else {
      for entry in entries { try output.writeName(entry) }
    }
  }
}

struct Load: ControlCommand {
  static let configuration = CommandConfiguration.control(
    "load", "Adds the songs of a stored playlist to the queue.",
    """
    EXAMPLES
      continuo load evening && continuo resume
    """)

  @OptionGroup var control: ControlOptions
  @ArgumentParser.Argument(help: "The name of the playlist.") var name: String

  func perform(with client: inout MPDClient, output: CommandOutput) throws {
    try client.ask("load", [.init(name)], timeout: MPDClient.patience)
  }
}

struct Save: ControlCommand {
  static let configuration = CommandConfiguration.control(
    "save", "Stores the queue as a playlist.", usage: "continuo save [OPTIONS] NAME",
    """
    An existing playlist is not changed, unless an option is given.

    EXAMPLES
      continuo save evening
      continuo save --replace evening
    """)

  enum Mode: String, EnumerableFlag {
    case replace, append

    static func help(for mode: Mode) -> ArgumentHelp? {
      mode == .replace ? "Replace an existing playlist." : "Append the songs to an existing playlist."
    }
  }

  @OptionGroup var control: ControlOptions
  @Flag(exclusivity: .exclusive) var mode: Mode?
  @ArgumentParser.Argument(help: "The name of the playlist.") var name: String

  func perform(with client: inout MPDClient, output: CommandOutput) throws {
    let words = [name] + (mode.map { [$0.rawValue] } ?? [])
    try client.ask("save", words.map { .init($0) }, timeout: MPDClient.patience) { refusal in
      refusal.code == Ack.Code.exist.rawValue ? "--replace replaces it, --append appends to it" : nil
    }
  }
}

extension CommandOutput {
  /// Prints a name as a line: unchanged bytes for a program, sanitized text for a terminal.
  func writeName(_ name: ControlProtocol.Argument) throws(Failure) {
    try write((isTerminal ? Array(TerminalText.sanitized(name.description).utf8) : name.bytes) + [0x0A])
  }
}
