import ArgumentParser
import ControlProtocol
import Jukebox
import TextFormatting

extension ReplayGainMode: ExpressibleByArgument {
  /// Both properties replace the argument parser's defaults, which look for conformances at run time.
  package static var allValueStrings: [String] { allCases.map { $0.rawValue } }
  package static var allValueDescriptions: [String: String] { [:] }
}

/// The options of the sound, of the application and of remote media. They are in one group, because each
/// further group adds 2 million instructions to a start, in which Swift's runtime looks for conformances.
struct PlayerOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The PulseAudio server, as in PULSE_SERVER.", valueName: "address"))
  var server: String?

  @Option(help: ArgumentHelp("The sink of that server.", valueName: "name"), completion: Completions.sinks)
  var sink: String?

  @Option(
    help: .init(
      "The latency after the sink that the server does not know, such as 1.02. (default: 0)",
      discussion:
        "For transport to other rooms: reported times are then those that are heard there. At most a minute.",
      valueName: "seconds"),
    transform: Self.delay)
  var sinkDelay: Double?

  @Flag(help: "Play to a private PulseAudio with a null sink, which ends at exit.") var nullSink = false

  @Option(
    help: ArgumentHelp(
      "The output: pulse, wav:PATH (a file, as fast as possible) or simulated (no server, real time).",
      discussion: """
        The default is PulseAudio. If no server is reachable and none was named by --server, --sink or \
        PULSE_SERVER, play replaces it by a private null sink, and serve waits for it.
        """, valueName: "pulse|wav:PATH|simulated"),
    completion: Completions.outputs, transform: OutputChoice.init(parsing:))
  var output: OutputChoice?

  @Option(
    help: .init(
      "Normalize the loudness by ReplayGain tags.",
      discussion: """
        The gain of the track, of the album, or auto: of the album, and in random order of the track. Nothing is \
        clipped: a song without a peak in its tags is never amplified. Gains beyond 51.1 dB are ignored.
        """, valueName: "mode"))
  var replayGain: ReplayGainMode?

  @Option(
    help: ArgumentHelp("The volume at the start, 0 to 100.", valueName: "percent"),
    completion: Completions.volume,
    transform: Self.volume)
  var volume: Int?

  @Option(
    help: .init(
      "The speed at the start, 0.25 to 4.",
      discussion: "The pitch stays the same. Times and time steps remain those of the song.",
      valueName: "factor"),
    completion: Completions.speed, transform: Self.speed)
  var speed: PlaybackSpeed?

  @Option(
    help: .init(
      "The application's background modes, such as audio,fetch, or none. (default: audio)",
      discussion: "Overrides the list in --info-plist.", valueName: "list|none"),
    completion: Completions.backgroundModes)
  var backgroundModes: String?

  @Option(
    help: ArgumentHelp(
      "Read UIBackgroundModes from a property list, as in an application bundle.", valueName: "path"),
    completion: .file(extensions: ["plist"]))
  var infoPlist: String?

  @Option(
    help: .init(
      "The time limit for background tasks. (default: 180)",
      discussion:
        "In seconds, or like 3:00. Tasks expire 5 s earlier; one still open at the limit terminates the application.",
      valueName: "seconds"),
    transform: { try Double(seconds: $0) })
  var backgroundTime: Double?

  @Option(
    help: .init(
      "The existing folder for fetched bytes of songs in the queue. (default: $XDG_CACHE_HOME/continuo)",
      discussion: "none keeps a few MiB of each song in memory, and fetches the rest again when needed.",
      valueName: "directory|none"),
    completion: .directory)
  var cache: String?

  @Option(
    help: .init("The maximum size of the cache, such as 500M or 2G. (default: 1G)", valueName: "size"),
    transform: Self.byteCount)
  var cacheSize: Int?

  @Option(
    help: .init("The time to buffer ahead, at least 2 s. (default: up to 64 MiB)", valueName: "seconds"),
    transform: { try Double(seconds: $0, least: 2) })
  var buffer: Double?

  @Option(
    help: .init(
      "The addresses that other users' URLs may reach: none, public or all. (default: public)",
      discussion: "The URLs of your own clients may reach any address.", valueName: "none|public|all"))
  var network: OthersReach?

  mutating func validate() throws {
    try ValidationError.rejectEmpty([
      "--server": server, "--sink": sink, "--background-modes": backgroundModes, "--info-plist": infoPlist,
      "--cache": cache,
    ])
    if cache == "none", cacheSize != nil {
      throw ValidationError(contradiction: "--cache none", "--cache-size")
    }
    let servers = [("--server", server != nil), ("--sink", sink != nil)]
    for (name, isGiven) in servers where nullSink && isGiven {
      throw ValidationError(contradiction: "--null-sink", name)
    }
    guard let output, output != .pulse else { return }
    for (name, isGiven) in [("--null-sink", nullSink)] + servers + [("--sink-delay", sinkDelay != nil)]
    where isGiven { throw ValidationError(contradiction: name, "--output \(output)") }
  }

  /// Whether the sound goes to a file, as fast as possible.
  var writesFile: Bool {
    if case .wav = output { true } else { false }
  }

  var plugin: String { output == .simulated ? "simulated" : "pulse" }

  /// Whether a private null sink may replace a missing server: only if no output, server or sink was chosen.
  func allowsSubstitute(environment: (String) -> String?) -> Bool {
    output == nil && server == nil && sink == nil && !nullSink && (environment("PULSE_SERVER") ?? "").isEmpty
  }

  /// Sets the ReplayGain mode, the volume and the speed of the jukebox, as far as the options give them.
  func apply(to machine: inout JukeboxMachine) {
    if let replayGain { machine.setReplayGain(replayGain) }
    if let volume { machine.setVolume(volume) }
    if let speed { machine.setSpeed(speed) }
  }

  @Sendable private static func volume(_ text: String) throws(SyntaxError) -> Int {
    guard case .absolute(let percent) = try PlayerCommand.VolumeTarget(parsing: text) else {
      throw SyntaxError("\"\(text)\" is not a volume from 0 to 100")
    }
    return percent
  }

  @Sendable private static func speed(_ text: String) throws(SyntaxError) -> PlaybackSpeed {
    guard let speed = PlaybackSpeed(text) else {
      throw SyntaxError("\"\(text)\" is not a speed from 0.25 to 4")
    }
    return speed
  }

  @Sendable private static func delay(_ text: String) throws(SyntaxError) -> Double {
    guard let time = TimeText.parse(text), time <= .seconds(60) else {
      throw SyntaxError("\"\(text)\" is not a time of at most 60 s, such as 1.02")
    }
    return time.inSeconds
  }
}
