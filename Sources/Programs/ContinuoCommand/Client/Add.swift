import ArgumentParser
import ControlClient
import ControlProtocol

struct Add: ControlCommand {
  static let configuration = CommandConfiguration.control(
    "add", "Adds files, URLs, folders and playlists to the end of the queue.",
    usage: "continuo add [OPTIONS] FILE|URL|DIRECTORY|PLAYLIST ...", AddedNames.discussion)

  @OptionGroup var control: ControlOptions
  @OptionGroup var added: AddedNames

  func perform(with client: inout MPDClient, output: CommandOutput) throws {
    try added.add(try added.uris(for: control), with: &client, output) { client, uri in
      try client.ask("add", [uri], timeout: MPDClient.patience)
    }
  }
}

struct Insert: ControlCommand {
  static let configuration = CommandConfiguration.control(
    "insert", "Adds files, URLs, folders and playlists after the current song.",
    usage: "continuo insert [OPTIONS] FILE|URL|DIRECTORY|PLAYLIST ...",
    """
    The songs play next, in random order too. Without a current song they go to the beginning of the queue. \
    \(AddedNames.discussion)

    EXAMPLES
      continuo insert request.mp3 && continuo next
    """)

  /// The priority of inserted songs in random order: the highest of the protocol.
  private static let priority: ControlProtocol.Argument = "255"

  @OptionGroup var control: ControlOptions
  @OptionGroup var added: AddedNames

  func perform(with client: inout MPDClient, output: CommandOutput) throws {
    // Each insertion comes before the previous one, so the last name is inserted first.
    try added.add(try added.uris(for: control).reversed(), with: &client, output) { client, uri in
      let before = try client.ask("status")
      let position: ControlProtocol.Argument = before["song"] == nil ? "0" : "+0"
      try client.ask("add", [uri, position], timeout: MPDClient.patience)
      guard before["random"] == "1" else { return }
      let start = before["song"].flatMap { Int($0) }.map { $0 + 1 } ?? 0
      let lengths = [before, try client.ask("status")].compactMap { $0["playlistlength"].flatMap { Int($0) } }
      guard lengths.count == 2, lengths[1] > lengths[0] else { return }
      let range = ControlProtocol.Argument("\(start):\(start + lengths[1] - lengths[0])")
      try client.ask("prio", [Self.priority, range])
    }
  }
}
