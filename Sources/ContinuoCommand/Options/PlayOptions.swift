import ArgumentParser

/// The command `play` with its options.
///
/// The options are the command's own, not a group's: in debug builds the argument parser checks the options of a group once
/// for each group around it, which took 0.5 s at a depth of four (swift-argument-parser 1.8.2).
struct Play: ParsableCommand {
  @OptionGroup var sound: SoundOptions

  @OptionGroup var application: ApplicationOptions

  @OptionGroup var requests: RequestOptions

  @OptionGroup var remote: RemoteOptions

  @Option(
    name: .customLong("at"),
    help: ArgumentHelp(
      "Run a command that long after playback starts. Repeatable.",
      discussion: """
        With wav:, which has no clock, only quit, for live streams. Commands: \(PlayerCommand.summary). \
        TIME is 12, 12.34, 1:02 or 1:02:03.5 from the start, or with + or - from the present position; N is 0 to 100, \
        or with + or - a change. NAME is that of a background task, task if left out. After terminate the player \
        waits for a later launch, which restores queue and position; without one it ends. \
        Examples: --at 3:home --at '4.5:seek 1:02' --at 6.5:foreground; \
        --at '2:task begin upload' --at 3:home --at '5:task end upload'; \
        --at '3:interrupt begin' --at '5:interrupt end resume'; --at 3:terminate --at 4:launch
        """, valueName: "seconds:command"),
    completion: Completions.schedule,
    transform: ScheduledCommand.init(parsing:))
  var scheduled: [ScheduledCommand] = []

  @Option(
    help: ArgumentHelp(
      "Write all that observers see to a file, or - for standard output, as JSON Lines.", valueName: "path|-"),
    completion: .file()
  )
  var events: String?

  @Option(
    help: ArgumentHelp(
      "At exit, write a drawing of the run against time: application state, sound, items, what was pressed.",
      discussion: "An SVG document, for any browser; 0 is the first sound, as for --at.",
      valueName: "file.svg"),
    completion: .file()
  )
  var timeline: String?

  @Option(
    help: ArgumentHelp(
      "The control socket, for continuo status, pause and the like. (default: $XDG_RUNTIME_DIR/continuo/socket)",
      discussion: "Without this option the player does without a socket if another has the default one.",
      valueName: "path"),
    completion: .file())
  var socket: String?

  @Flag(help: "Open no control socket.")
  var noSocket = false

  @Argument(
    help: ArgumentHelp(
      "Files, URLs, folders (with all below them) and playlists (.m3u, .m3u8, .pls); - is a playlist on standard input.",
      valueName: "file|url|directory|playlist"),
    completion: Completions.music)
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
      ("--events", events), ("--timeline", timeline), ("--socket", socket),
    ]
    where value == "" { throw ValidationError("\(name) has an empty value.") }
    if let timeline, timeline == events {
      throw ValidationError("Events and drawing cannot both go to \(timeline).")
    }
    if noSocket, socket != nil { throw ValidationError(contradiction: "--socket", "--no-socket") }
    if let output = sound.output {
      if case .wav(let path) = output, path == events || path == timeline {
        throw ValidationError("Sound and \(path == events ? "events" : "drawing") cannot both go to \(path).")
      }
      // A file is written as fast as it goes: no second of it is one of the clock's. A live stream comes with the clock, and
      // has no other end.
      if case .wav = output,
        scheduled.contains(where: { $0.command != .quit }) || !scheduled.isEmpty && !namesURL
      {
        throw ValidationError(contradiction: "--at", "--output \(output)")
      }
      if case .wav = output, socket != nil {
        throw ValidationError(contradiction: "--socket", "--output \(output)")
      }
    }
  }

  private var namesURL: Bool {
    files.contains { $0.lowercased().hasPrefix("http://") || $0.lowercased().hasPrefix("https://") }
  }

  /// Whether a control socket is to be opened: not for a file that is written as fast as it goes.
  var wantsSocket: Bool {
    if case .wav = sound.output { return false }
    return !noSocket
  }

  /// The commands of `--at` in the order in which they are due; those of the same moment as they were given.
  var schedule: [ScheduledCommand] {
    scheduled.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(
      \.element)
  }
}
