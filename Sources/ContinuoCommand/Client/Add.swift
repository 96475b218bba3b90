import ArgumentParser
import ControlClient
import ControlProtocol
import ControlServer
import ControlSocket
import MusicFiles
import Transfer

/// `continuo add`.
struct Add: ControlCommand {
  static let configuration = CommandConfiguration.control(
    "add", "Adds files, URLs, folders and playlists to the end of the queue.",
    usage: "continuo add [OPTIONS] FILE|URL|DIRECTORY|PLAYLIST ...",
    """
    Names are seen from the directory where the command runs, or, with --host, from the server's --home. What cannot be added is told, and the rest is added.
    """)

  @OptionGroup var control: ControlOptions

  @ArgumentParser.Argument(
    help: ArgumentHelp(
      "Files, folders (with all below them), playlists, and URLs: file://, http:// and https://.",
      valueName: "file|url|directory|playlist"),
    completion: Completions.music)
  var names: [String]

  mutating func validate() throws {
    if names.contains("") { throw ValidationError("A file name is empty.") }
  }

  func perform(with client: inout ControlClient, output: CommandOutput) throws -> ExitStatus {
    var status = ExitStatus.played
    // What is here is not there.
    let isRemote = if case .network = try control.server().address { true } else { false }
    for name in names {
      let path = RawArguments.bytes(of: name)
      let uri =
        isRemote ? ControlProtocol.Argument(path.bytes) : Self.uri(path, directory: .workingDirectory())
      do {
        try client.ask("add", [uri], timeout: ControlClient.patience)
      } catch ControlClientError.refused(let refusal) {
        // Mpd's words for whatever is not there.
        let message = refusal.message == "No such directory" ? "no such file or folder" : refusal.message
        let told = Self.told(name)
        // A playlist's problems begin with its URL.
        output.complain(message.hasPrefix("\(told): ") ? message : "\(told): \(message)")
        status = .refused
      } catch let error as RequestError {
        output.complain("\(Self.told(name)): \(error)")
        status = .refused
      }
    }
    return status
  }

  /// A name as it may be told: a URL without credentials.
  private static func told(_ name: String) -> String {
    String(decoding: WebURL.withoutCredentials(Array(name.utf8)), as: UTF8.self)
  }

  /// What to call `name`, as given in `directory`, so that a server anywhere finds the same. A URL stays what it is.
  static func uri(_ name: MediaPath, directory: MediaPath) -> ControlProtocol.Argument {
    if EntryLocation.isURL(name.bytes) { return ControlProtocol.Argument(name.bytes) }
    let path = name.resolved(against: directory)
    // The one thing that a line cannot hold.
    return path.bytes.contains(UInt8(ascii: "\n"))
      ? ControlProtocol.Argument(path.fileURL) : ControlProtocol.Argument(path.bytes)
  }
}
