import ArgumentParser
import MusicFiles

/// The command `play` with its options.
///
/// The command's own options have no group around them. In debug builds the argument parser checks the
/// options of a group once for each group around it. That took 0.5 s at a depth of four
/// (swift-argument-parser 1.8.2).
struct Play: ParsableCommand {
  @OptionGroup var player: PlayerOptions
  @OptionGroup var requests: RequestOptions
  @Flag(help: UnplayableFiles.help) var listUnplayable = false

  @Option(
    name: .customLong("at"),
    help: .init(
      "Run a command at a time after playback starts. Repeatable.",
      discussion: """
        With wav:, which has no clock, only quit is allowed, for live streams. Commands: \(PlayerCommand.summary). \
        TIME is 12, 12.34, 1:02 or 1:02:03.5 from the start, or with + or - from the current position; N of \
        volume is 0 to 100, of speed 0.25 to 4, or with + or - a change. NAME is the name of a background task, by default task. After terminate the player \
        waits for a later launch, which restores queue and position; without one it ends. \
        Examples: --at 3:home --at '4.5:seek 1:02' --at 6.5:foreground; \
        --at '2:task begin upload' --at 3:home --at '5:task end upload'; \
        --at '3:interrupt begin' --at '5:interrupt end resume'; --at 3:terminate --at 4:launch
        """, valueName: "seconds:command"),
    completion: Completions.schedule,
    transform: ScheduledCommand.init(parsing:))
  var scheduled: [ScheduledCommand] = []

  @Option(
    help: .init("The position at which the first song starts, such as 1:02.", valueName: "time"),
    transform: { try Double(seconds: $0) })
  var start: Double?

  @Flag(help: "Repeat the queue until the player is ended.") var loop = false

  @Option(
    help: ArgumentHelp(
      "Write observer events as JSON Lines to a file, or - for standard output.", valueName: "path|-"),
    completion: .file())
  var events: String?

  @Option(
    help: ArgumentHelp("Events to leave out of --events, such as time or time,loaded.", valueName: "list"),
    transform: EventNames.parse)
  var eventsWithout: [String] = []

  @Option(
    help: ArgumentHelp(
      "At exit, write a drawing of the run against time: application state, sound, items, commands.",
      discussion: "An SVG document, for any browser; 0 is the first sound, as for --at.",
      valueName: "file.svg"),
    completion: .file())
  var timeline: String?

  @Option(
    help: ArgumentHelp(
      "The control socket, for commands such as continuo status. (default: $XDG_RUNTIME_DIR/continuo/socket)",
      discussion: "Without this option the player has no socket if another one uses the default.",
      valueName: "path"),
    completion: .file())
  var socket: String?

  @Flag(help: "Do not open a control socket.") var noSocket = false

  @Argument(
    help: ArgumentHelp(
      "Files, URLs, folders (including subfolders) and playlists (.m3u, .m3u8, .pls); - is a playlist on standard input.",
      valueName: "file|url|directory|playlist"),
    completion: Completions.music)
  var files: [String] = []

  mutating func validate() throws {
    guard !files.isEmpty else {
      throw ValidationError("Nothing to play: name a file, a folder or a playlist.")
    }
    guard files.count(where: { $0 == "-" }) <= 1 else {
      throw ValidationError("\"-\" (standard input) may be given only once.")
    }
    if files.contains("") { throw ValidationError("Empty file name.") }
    try ValidationError.rejectEmpty(["--events": events, "--timeline": timeline, "--socket": socket])
    if let timeline, timeline == events {
      throw ValidationError("--events and --timeline name the same file \(timeline).")
    }
    if events == nil, !eventsWithout.isEmpty {
      throw ValidationError("--events-without needs --events.")
    }
    if noSocket, socket != nil { throw ValidationError(contradiction: "--socket", "--no-socket") }
    guard let output = player.output, case .wav(let path) = output else { return }
    for (name, other) in [("--events", events), ("--timeline", timeline)] where other == path {
      throw ValidationError("--output and \(name) name the same file \(path).")
    }
    // A WAV file is written as fast as possible, so its time is not the clock's. Only a live stream arrives
    // with the clock, and needs `quit` to end.
    if !scheduled.allSatisfy({ $0.command == .quit && namesURL }) {
      throw ValidationError(contradiction: "--at", "--output \(output)")
    }
    if socket != nil { throw ValidationError(contradiction: "--socket", "--output \(output)") }
    if loop { throw ValidationError(contradiction: "--loop", "--output \(output)") }
  }

  private var namesURL: Bool {
    files.contains { $0.lowercased().hasPrefix("http://") || $0.lowercased().hasPrefix("https://") }
  }

  /// Whether to open a control socket: not with `--no-socket`, nor for a WAV file, which is written as fast
  /// as possible.
  var wantsSocket: Bool {
    if case .wav = player.output { return false }
    return !noSocket
  }

  /// The commands of `--at`, sorted by time. Commands at the same time keep their order on the command line.
  var schedule: [ScheduledCommand] {
    // Swift's sort is stable.
    scheduled.sorted { $0.time < $1.time }
  }
}
