import ArgumentParser
import Jukebox
import MusicFiles
import SystemSupport

extension LogLevel: ExpressibleByArgument {}

/// The command `serve` with its options. Its own options are not in an option group, for the reason given at
/// `Play`.
struct Serve: ParsableCommand {
  @OptionGroup var player: PlayerOptions

  @Option(
    help: ArgumentHelp(
      "The music directory, to which clients' relative names refer. (default: the working directory)",
      discussion: "The songs below a named one are scanned, so that clients can list and search them.",
      valueName: "directory"),
    completion: .directory)
  var home: String?

  @Option(
    help: .init(
      "The control socket. (default: $XDG_RUNTIME_DIR/continuo/socket)",
      discussion: "A socket from systemd takes precedence over the default.", valueName: "path"),
    completion: .file())
  var socket: String?

  @Option(
    help: .init(
      "The socket's mode in octal, to let other users connect. (default: 0600)",
      discussion: "By default only the server's own user and root may connect.", valueName: "mode"),
    transform: Self.mode)
  var socketMode: UInt32?

  @Option(help: ArgumentHelp("The socket's group, by name or number.", valueName: "group"))
  var socketGroup: String?
  @OptionGroup var network: NetworkOptions
  @OptionGroup var requests: RequestOptions
  @Flag(help: UnplayableFiles.help) var listUnplayable = false

  @Option(
    help: ArgumentHelp(
      "The directory for queue, position, song database and clients' data. (default: $XDG_STATE_HOME/continuo)",
      valueName: "directory"),
    completion: .directory)
  var state: String?

  @Flag(help: "Do not save state between runs.") var noState = false

  @Option(
    help: .init(
      "The duration above which songs resume where they were left, or off. (default: 20:00)",
      discussion: "The positions of up to \(ResumePositions.limit) files are kept with the state.",
      valueName: "time"),
    transform: { $0 == "off" ? .infinity : try Double(seconds: $0) })
  /// In seconds; infinite if no song resumes.
  var resumeLongerThan = 1200.0

  @Option(
    help: ArgumentHelp(
      "The folder for clients' playlists, as M3U files. (default: playlists in the state directory)",
      discussion: "The files can be edited, and mpd can use the same folder.", valueName: "directory"),
    completion: .directory)
  var playlists: String?

  @Option(
    help: ArgumentHelp(
      "The least important messages to print: error, warning, info or debug. (default: info)",
      discussion: "debug includes clients that connect or leave, and refused commands.", valueName: "level"))
  var logLevel = LogLevel.info

  @Option(
    help: ArgumentHelp(
      "At exit, write a drawing of the run against time: application state, sound, items, commands.",
      discussion: "An SVG document, for any browser.", valueName: "file.svg"), completion: .file())
  var timeline: String?

  @Flag(help: "Print systemd user units, service and socket, with the other options, and exit.")
  var printSystemdUnit = false

  @Argument(
    help: .init(
      "Files, folders and playlists to play if no queue was saved.",
      valueName: "file|directory|playlist"),
    completion: Completions.music)
  var files: [String] = []

  mutating func validate() throws {
    try ValidationError.rejectEmpty([
      "--home": home, "--socket": socket, "--socket-group": socketGroup, "--state": state,
      "--playlists": playlists, "--timeline": timeline,
    ])
    if noState, state != nil { throw ValidationError(contradiction: "--no-state", "--state") }
    if case .wav(let path) = player.output {
      throw ValidationError("serve supports only real-time output, not --output wav:\(path).")
    }
    if files.contains("") || files.contains("-") {
      throw ValidationError("\"-\" and empty names are not allowed with serve.")
    }
  }

  /// Returns the permission bits of an octal number, 0…0777.
  @Sendable private static func mode(_ text: String) throws(SyntaxError) -> UInt32 {
    guard let bits = UInt32(text, radix: 8), bits <= 0o777 else {
      throw SyntaxError("\"\(text)\" is not a mode like 0660")
    }
    return bits
  }
}
