import ArgumentParser
import ControlClient
import ControlProtocol
import MusicFiles
import TextFormatting

/// `continuo search`.
struct Search: ControlCommand {
  static let configuration = CommandConfiguration.control(
    "search", "Finds songs of the server's home by what their tags say.",
    usage: "continuo search [OPTIONS] WORD ...",
    """
    A song is found if each WORD is in one of its tags; TAG=TEXT has to be in that tag. Capitals do not count. Each \
    song is a line with its file, as continuo add --host takes it; --json prints an array with one object for each \
    song: file, title, artist, album, duration (seconds); what is not known is null.

    EXAMPLES
      continuo search pachelbel canon
      continuo search --add album=Musikalische genre=baroque
          The songs are added to the queue and not printed.
    """)

  @OptionGroup var control: ControlOptions
  @OptionGroup var form: FormOptions
  @Flag(help: "Add the songs to the end of the queue.")
  var add = false
  @ArgumentParser.Argument(help: ArgumentHelp("What to look for.", valueName: "WORD"))
  var words: [String]

  mutating func validate() throws {
    if words.contains("") { throw ValidationError("A word is empty.") }
    if add, form.json { throw ValidationError("--json has nothing to print with --add.") }
  }

  /// The filter as the protocol writes it.
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

  /// Songs to ask for at a time: less than a server may have to hold for one client.
  static let pageSize = 1000

  func perform(with client: inout ControlClient, output: CommandOutput) throws -> ExitStatus {
    if add {
      try client.ask("searchadd", [filter], timeout: ControlClient.patience)
      return .played
    }
    var listing = FoundListing(asJSON: form.json)
    var start = 0
    while true {
      let window: [ControlProtocol.Argument] = [
        filter, "window", ControlProtocol.Argument("\(start):\(start + Self.pageSize)"),
      ]
      let songs = try client.ask("search", window, timeout: ControlClient.patience).records(from: "file")
      try output.write(listing.text(of: songs.compactMap { FoundSong($0) }, forTerminal: output.isTerminal))
      start += Self.pageSize
      guard songs.count == Self.pageSize else { break }
    }
    try output.write(listing.end)
    return .played
  }
}

/// `continuo update`.
struct Update: ControlCommand {
  static let configuration = CommandConfiguration.control(
    "update", "Has the server look for new and changed files in its home.",
    usage: "continuo update [OPTIONS] [NAME]",
    """
    A running server sees most changes by itself; this is for disks that tell of none, as those of other machines. \
    --json prints an object with the key job, the number that the update has.

    EXAMPLES
      continuo update
      continuo update --wait New
          Returns when what is in the folder New is known.
    """)

  @OptionGroup var control: ControlOptions
  @OptionGroup var form: FormOptions
  @Flag(help: "Wait until it is done.")
  var wait = false
  @ArgumentParser.Argument(help: "The folder or file, as the server names it. (default: all)")
  var name: String?

  func perform(with client: inout ControlClient, output: CommandOutput) throws -> ExitStatus {
    let arguments = name.map { [ControlProtocol.Argument(RawArguments.bytes(of: $0).bytes)] } ?? []
    let job = try client.ask("update", arguments)["updating_db"]
    if wait {
      while try client.ask("status")["updating_db"] != nil {
        try client.send(Request("idle", ["update"]), timeout: ControlClient.quickPatience)
        _ = try client.reply(timeout: nil)
      }
    }
    if form.json { try output.write(.object(["job": .number(written: job)])) }
    return .played
  }
}

/// `continuo playlists`.
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
  @ArgumentParser.Argument(help: "The playlist whose songs are wanted.")
  var name: String?

  func perform(with client: inout ControlClient, output: CommandOutput) throws -> ExitStatus {
    let reply: ReplyFields
    if let name {
      reply = try client.ask(
        "listplaylist", [ControlProtocol.Argument(name)], timeout: ControlClient.patience)
    } else {
      reply = try client.ask("listplaylists")
    }
    let entries = reply.fields.filter { $0.name == (name == nil ? "playlist" : "file") }.map(\.value)
    if form.json {
      try output.write(.array(entries.map { .string($0.description) }))
    } else {
      for entry in entries { try output.writeName(entry) }
    }
    return .played
  }
}

/// `continuo load`.
struct Load: ControlCommand {
  static let configuration = CommandConfiguration.control(
    "load", "Adds the songs of a stored playlist to the queue.",
    """
    EXAMPLES
      continuo load evening && continuo resume
    """)

  @OptionGroup var control: ControlOptions
  @ArgumentParser.Argument(help: "The playlist.")
  var name: String

  func perform(with client: inout ControlClient, output: CommandOutput) throws -> ExitStatus {
    try client.ask("load", [ControlProtocol.Argument(name)], timeout: ControlClient.patience)
    return .played
  }
}

/// `continuo save`.
struct Save: ControlCommand {
  static let configuration = CommandConfiguration.control(
    "save", "Stores the queue as a playlist.", usage: "continuo save [OPTIONS] NAME",
    """
    One that is there already is left alone, unless an option says otherwise.

    EXAMPLES
      continuo save evening
      continuo save --replace evening
    """)

  /// What happens to a playlist that is there.
  enum Mode: String, EnumerableFlag {
    case replace, append

    static func help(for mode: Mode) -> ArgumentHelp? {
      switch mode {
      case .replace: "Replace a playlist that is there."
      case .append: "Add the songs to a playlist that is there."
      }
    }
  }

  @OptionGroup var control: ControlOptions
  @Flag(exclusivity: .exclusive) var mode: Mode?
  @ArgumentParser.Argument(help: "What the playlist is called.")
  var name: String

  func perform(with client: inout ControlClient, output: CommandOutput) throws -> ExitStatus {
    let mode = mode.map { [ControlProtocol.Argument($0.rawValue)] } ?? []
    try client.ask("save", [ControlProtocol.Argument(name)] + mode, timeout: ControlClient.patience)
    return .played
  }
}

extension CommandOutput {
  /// Prints a name as a line: its bytes for a program, what a terminal may show for a person.
  func writeName(_ name: ControlProtocol.Argument) throws(Failure) {
    if isTerminal {
      try write(TerminalText.sanitized(name.description) + "\n")
    } else {
      try write(name.bytes + [UInt8(ascii: "\n")])
    }
  }
}
