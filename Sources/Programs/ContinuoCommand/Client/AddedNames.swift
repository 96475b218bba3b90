import ArgumentParser
import ControlClient
import ControlProtocol
import ControlServer
import Glibc
import MusicFiles
import SystemSupport
import Transfer

/// The names of music for a server's queue.
struct AddedNames: ParsableArguments {
  static let discussion = """
    Names are relative to the directory where the command runs or, with --host, to the server's --home. A server of \
    another user or of another machine accepts files below its --home only. Names that cannot be added are reported, \
    and the rest is added.
    """

  @Flag(help: UnplayableFiles.help) var listUnplayable = false

  @ArgumentParser.Argument(
    help: .init(
      "Files, folders (including subfolders), playlists, and URLs: file://, http:// and https://.",
      valueName: "file|url|directory|playlist"),
    completion: Completions.music)
  var names: [String]

  mutating func validate() throws {
    if names.contains("") { throw ValidationError("Empty file name.") }
  }

  struct Named {
    var name: String
    var uri: ControlProtocol.Argument
    /// Whether the name may be a folder's. True for every path that refers to the server's `--home`, since only
    /// the server knows.
    var mayBeFolder: Bool
  }

  /// Returns the names with their URIs: unchanged for a server of `--host` or of the network, otherwise
  /// independent of the working directory.
  func uris(for control: ControlOptions) throws -> [Named] {
    // A server at a network address may be on another machine.
    let server = try control.server(environment: ProcessEnvironment.value)
    let isRemote = if case .path = server.address { control.host != nil } else { true }
    return names.map { name in
      let path = RawArguments.bytes(of: name)
      return Named(
        name: name, uri: isRemote ? .init(path.bytes) : Self.uri(path, directory: .workingDirectory()),
        mayBeFolder: isRemote
          ? !EntryLocation.isURL(path.bytes) : (try? FileStatus(of: path))?.type == S_IFDIR)
    }
  }

  /// Calls `body` with each URI. Reports refusals, names that no request can contain, and the unplayable
  /// files in folders. Throws `ExitStatus.refused` after all names if some were not added, and any other
  /// error at once.
  func add(
    _ named: some Sequence<Named>, with client: inout MPDClient, _ output: CommandOutput,
    _ body: (inout MPDClient, ControlProtocol.Argument) throws -> Void
  ) throws {
    var isRefused = false
    for name in named {
      let shown = WebURL.withoutCredentials(name.name)
      do {
        try body(&client, name.uri)
      } catch ControlClientError.refused(let refusal) {
        // Mpd uses this message for a missing file too.
        let message = refusal.message == "No such directory" ? "no such file or folder" : refusal.message
        // The server's messages about a playlist at a URL already begin with that URL.
        output.complain(message.hasPrefix("\(shown): ") ? message : "\(shown): \(message)")
        isRefused = true
      } catch let error as RequestError {
        output.complain("\(shown): \(error)")
        isRefused = true
      }
    }
    try UnplayableFiles.report(
      named.filter(\.mayBeFolder).map(\.uri), areListed: listUnplayable, with: &client, output)
    if isRefused { throw ExitStatus.refused }
  }

  /// Returns the URI for `name`, which does not depend on the server's working directory. URLs stay
  /// unchanged.
  static func uri(_ name: MediaPath, directory: MediaPath) -> ControlProtocol.Argument {
    if EntryLocation.isURL(name.bytes) { return ControlProtocol.Argument(name.bytes) }
    let path = name.resolved(against: directory)
    // A newline cannot occur in a line of the protocol, so a file URL encodes it.
    return path.bytes.contains(UInt8(ascii: "\n"))
      ? ControlProtocol.Argument(path.fileURL) : ControlProtocol.Argument(path.bytes)
  }
}
