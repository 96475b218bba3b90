import AppLifecycle
import ArgumentParser

/// The options of `play`.
struct PlayOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The PulseAudio server, as in PULSE_SERVER.", valueName: "address"))
  var server: String?

  @Option(help: ArgumentHelp("The sink of that server.", valueName: "name"))
  var sink: String?

  @Flag(help: "Start a private PulseAudio with a null sink, play there, and take it down at exit.")
  var nullSink = false

  @Option(
    help: ArgumentHelp(
      "Where sound goes: pulse, wav:PATH (a file, as fast as it can be written) or simulated (no server, real time).",
      discussion: """
        Without this option sound goes to PulseAudio. If there is none to be reached and none was named by \
        --server, --sink or PULSE_SERVER, a private null sink takes its place.
        """, valueName: "pulse|wav:PATH|simulated"),
    transform: OutputChoice.init(parsing:))
  var output: OutputChoice?

  @Option(
    help: ArgumentHelp(
      "The application's background modes, as audio,fetch, or none. (default: audio)",
      discussion: "Overrides the list in --info-plist.", valueName: "list|none"))
  var backgroundModes: String?

  @Option(
    help: ArgumentHelp(
      "Read UIBackgroundModes from a property list, as an application bundle has it.", valueName: "path"))
  var infoPlist: String?

  @Option(
    name: .customLong("at"),
    help: ArgumentHelp(
      "Run a command that long after playback starts. Repeatable.",
      discussion: """
        Not with wav:, which has no clock. Commands: \(PlayerCommand.summary). \
        TIME is 12, 12.34, 1:02 or 1:02:03.5 from the start, or with + or - from the present position; N is 0 to 100, \
        or with + or - a change. Example: --at 3:home --at '4.5:seek 1:02' --at 6.5:foreground
        """, valueName: "seconds:command"),
    transform: ScheduledCommand.init(parsing:))
  var scheduled: [ScheduledCommand] = []

  @Option(
    help: ArgumentHelp(
      "Write all that observers see to a file, or - for standard output, as JSON Lines.", valueName: "path|-")
  )
  var events: String?

  @Flag(help: "Open no control socket. This version has none to open; the option is taken for later ones.")
  var noSocket = false

  @Argument(
    help: ArgumentHelp(
      "Files, folders (with all below them) and playlists (.m3u, .m3u8, .pls); - is a playlist on standard input.",
      valueName: "file|directory|playlist"))
  var files: [String] = []

  mutating func validate() throws {
    guard !files.isEmpty else {
      throw ValidationError("Nothing to play: name a file, a folder or a playlist.")
    }
    guard files.count(where: { $0 == "-" }) <= 1 else {
      throw ValidationError("Standard input can be read only once: - is there twice.")
    }
    if files.contains("") { throw ValidationError("A file name is empty.") }
    for (name, value) in [
      ("--server", server), ("--sink", sink), ("--info-plist", infoPlist), ("--events", events),
    ]
    where value == "" { throw ValidationError("\(name) has an empty value.") }
    if nullSink {
      if server != nil { throw Self.contradiction("--null-sink", "--server") }
      if sink != nil { throw Self.contradiction("--null-sink", "--sink") }
    }
    if let output, output != .pulse {
      if nullSink { throw Self.contradiction("--null-sink", "--output \(output)") }
      if server != nil { throw Self.contradiction("--server", "--output \(output)") }
      if sink != nil { throw Self.contradiction("--sink", "--output \(output)") }
      if case .wav(let path) = output, path == events {
        throw ValidationError("Sound and events cannot both go to \(path).")
      }
      // A file is written as fast as it goes: no second of it is one of the clock's.
      if case .wav = output, !scheduled.isEmpty { throw Self.contradiction("--at", "--output \(output)") }
    }
  }

  private static func contradiction(_ first: String, _ second: String) -> ValidationError {
    ValidationError("\(first) and \(second) contradict each other.")
  }

  /// The commands of `--at` in the order in which they are due; those of the same moment as they were given.
  var schedule: [ScheduledCommand] {
    scheduled.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(
      \.element)
  }

  /// Whether a private null sink may take the place of a server that is not there: only where none was named.
  func allowsSubstitute(environment: (String) -> String?) -> Bool {
    output == nil && server == nil && sink == nil && !nullSink && (environment("PULSE_SERVER") ?? "").isEmpty
  }

  /// The application's background modes: those of the option, or else of the property list, or else `audio`.
  func readBackgroundModes() throws(InfoPlistError) -> BackgroundModes {
    if let backgroundModes { return BackgroundModes(list: backgroundModes) }
    if let infoPlist { return try BackgroundModes(infoPlist: infoPlist) }
    return BackgroundModes([.audio])
  }
}
