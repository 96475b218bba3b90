import ArgumentParser
import ControlClient
import ControlProtocol
import ControlServer
import MusicFiles
import TextFormatting

struct Ctl: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "ctl", abstract: "Sends any command to the server and prints its reply.",
    usage: "continuo ctl [OPTIONS] COMMAND [ARG ...]",
    discussion: """
      Options precede the command; all words after it belong to the command. The reply is printed unchanged, with \
      binary data, but without its final OK. On a terminal control characters are replaced, and only the size of \
      binary data is shown. idle waits for a change; watch prints until it is interrupted.

      --json prints an array with an object for each line of the reply, in order: name and value (a string), and \
      base64 for binary data.

      EXAMPLES
        continuo ctl commands
            All commands of the server.
        continuo ctl playlistinfo 0:10
        continuo ctl --json status | jq 'from_entries'

      \(ControlTrouble.help)
      """)

  /// Commands that have a meaning only in a connection with several commands.
  private static let ofConversations: Set<String> = [
    "noidle", "command_list_begin", "command_list_ok_begin", "command_list_end",
  ]

  @OptionGroup var control: ControlOptions
  @OptionGroup var form: FormOptions

  @ArgumentParser.Argument(
    parsing: .captureForPassthrough,
    help: ArgumentHelp("The command and its arguments.", valueName: "command"),
    completion: Completions.commands)
  var words: [String]

  mutating func validate() throws {
    words.removeTerminator()
    // The words include all remaining arguments, also those that the parser knows.
    if words.first == "--help" || words.first == "-h" { throw CleanExit.helpRequest(self) }
    guard let name = words.first else {
      throw ValidationError("A command is missing, as in continuo ctl status.")
    }
    if name.hasPrefix("-") { throw ValidationError("Unknown option \(name).") }
    if Self.ofConversations.contains(name) {
      throw ValidationError("\(name) is valid only among other commands of a connection.")
    }
    if form.json, name == "watch" {
      throw ValidationError("ctl watch prints no JSON: use continuo watch --json.")
    }
  }

  func perform(with client: inout MPDClient, output: CommandOutput) throws {
    let arguments = words.dropFirst().map { ControlProtocol.Argument(RawArguments.bytes(of: $0).bytes) }
    // A single word with spaces is a line of the protocol.
    let isLine = words.count == 1 && words[0].contains(" ")
    let request =
      try isLine
      ? Request.parse(line: RawArguments.bytes(of: words[0]).bytes[...]) : Request(words[0], arguments)
    if request.name == "watch" { try stream(request, with: &client, to: output) }
    let elements = try Self.answer(to: request, with: &client)
    if form.json {
      try output.write(RawReply.json(elements))
    } else {
      for element in elements { try output.write(RawReply.bytes(element, forTerminal: output.isTerminal)) }
    }
  }

  private static func answer(
    to request: Request, with client: inout MPDClient
  ) throws(ControlClientError) -> [ReplyParser.Element] {
    do throws(ControlClientError) {
      try client.send(request, timeout: MPDClient.quickPatience)
      return try client.reply(timeout: patience(for: request.name))
    } catch {
      // `close` has no reply.
      if error == .disconnected, request.name == "close" { return [] }
      throw error
    }
  }

  /// Prints the stream of replies, which always ends with an error.
  private func stream(
    _ request: Request, with client: inout MPDClient, to output: CommandOutput
  ) throws -> Never {
    try client.send(request, timeout: MPDClient.quickPatience)
    while true {
      let element = try client.next(timeout: Watch.patience)
      if case .refused(let refusal) = element { throw ControlClientError.refused(refusal) }
      try output.write(RawReply.bytes(element, forTerminal: output.isTerminal))
    }
  }

  /// Returns the timeout for a reply, in seconds; nil for commands whose purpose is to wait.
  private static func patience(for name: String) -> Double? {
    switch name {
    case "idle": nil
    case "add", "addid", "albumart", "count", "find", "findadd", "list", "listall", "listallinfo",
      "listfiles", "listplaylist", "listplaylistinfo", "load", "lsinfo", "playlistadd", "readpicture", "save",
      "search", "searchadd", "searchaddpl", "unplayable", "home", "foreground", "lock", "unlock", "interrupt",
      "terminate", "launch":
      MPDClient.patience
    default: MPDClient.quickPatience
    }
  }
}
