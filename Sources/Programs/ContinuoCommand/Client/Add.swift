import ArgumentParser
import ControlClient
import ControlProtocol
import ControlServer
import MusicFiles
import SystemSupport
import Transfer

struct Add: ControlCommand {
  static let configuration = CommandConfiguration.control(
    "add", "Adds files, URLs, folders and playlists to the end of the queue.",
    usage: "continuo add [OPTIONS] FILE|URL|DIRECTORY|PLAYLIST ...",
    """
    Names are relative to the directory where the command runs or, with --host, to the server's --home. Names that \
    cannot be added are reported, and the rest is added.
    """)

  @OptionGroup var control: ControlOptions

  @ArgumentParser.Argument(
    help: .init(
      "Files, folders (including subfolders), playlists, and URLs: file://, http:// and https://.",
      valueName: "file|url|directory|playlist"),
    completion: Completions.music)
  var names: [String]

  mutating func validate() throws {
    if names.contains("") { throw ValidationError("Empty file name.") }
  }

  func perform(with client: inout MPDClient, output: CommandOutput) throws {
    var isRefused = false
    // The paths of this machine mean nothing to a server on another one.
    let server = try control.server(environment: ProcessEnvironment.value)
    let isRemote = if case .network = server.address { true } else { false }
    for name in names {
      let path = RawArguments.bytes(of: name)
      let uri = isRemote ? .init(path.bytes) : Self.uri(path, directory: .workingDirectory())
      do {
        try client.ask("add", [uri], timeout: MPDClient.patience)
      } catch ControlClientError.refused(let refusal) {
        // Mpd uses this message for every missing file or folder.
        let message = refusal.message == "No such directory" ? "no such file or folder" : refusal.message
        let told = Self.told(name)
        // The server's messages about a playlist at a URL already begin with that URL.
        output.complain(message.hasPrefix("\(told): ") ? message : "\(told): \(message)")
        isRefused = true
      } catch let error as RequestError {
        output.complain("\(Self.told(name)): \(error)")
        isRefused = true
      }
    }
    if isRefused { throw ExitStatus.refused }
  }

  private static func told(_ name: String) -> String {
    String(decoding: WebURL.withoutCredentials(Array(name.utf8)), as: UTF8.self)
  }

  /// Returns the URI for `name`, which a server with any working directory resolves alike. URLs stay
  /// unchanged.
  static func uri(_ name: MediaPath, directory: MediaPath) -> ControlProtocol.Argument {
    if EntryLocation.isURL(name.bytes) { return ControlProtocol.Argument(name.bytes) }
    let path = name.resolved(against: directory)
    // A newline cannot occur in a line of the protocol, so a file URL encodes it.
    return path.bytes.contains(UInt8(ascii: "\n"))
      ? ControlProtocol.Argument(path.fileURL) : ControlProtocol.Argument(path.bytes)
  }
}
