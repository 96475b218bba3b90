import ArgumentParser
import ControlProtocol
import TextFormatting

extension ReplayGainMode: ExpressibleByArgument {}

/// Options for the sound output.
struct SoundOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The PulseAudio server, as in PULSE_SERVER.", valueName: "address"))
  var server: String?

  @Option(help: ArgumentHelp("The sink of that server.", valueName: "name"), completion: Completions.sinks)
  var sink: String?

  @Option(
    help: ArgumentHelp(
      "The latency after the sink that the server does not know, such as 1.02. (default: 0)",
      discussion:
        "For transport to other rooms: reported times are then those that are heard there. At most a minute.",
      valueName: "seconds"),
    transform: SinkDelay.init(parsing:))
  var sinkDelay: SinkDelay?

  @Flag(help: "Play to a private PulseAudio with a null sink, which ends at exit.") var nullSink = false

  @Option(
    help: ArgumentHelp(
      "The output: pulse, wav:PATH (a file, as fast as possible) or simulated (no server, real time).",
      discussion: """
        The default is PulseAudio. If no server is reachable and none was named by --server, --sink or \
        PULSE_SERVER, a private null sink replaces it.
        """, valueName: "pulse|wav:PATH|simulated"),
    completion: Completions.outputs, transform: OutputChoice.init(parsing:))
  var output: OutputChoice?

  @Option(
    help: ArgumentHelp(
      "Normalize the loudness by ReplayGain tags.",
      discussion: """
        The gain of the track, of the album, or auto: of the album, and in random order of the track. Nothing is \
        clipped: a song without a peak in its tags is never amplified. Gains beyond 51.1 dB are ignored.
        """, valueName: "mode"))
  var replayGain: ReplayGainMode?

  mutating func validate() throws {
    for (name, value) in [("--server", server), ("--sink", sink)] where value == "" {
      throw ValidationError("\(name) has an empty value.")
    }
    if nullSink {
      if server != nil { throw ValidationError(contradiction: "--null-sink", "--server") }
      if sink != nil { throw ValidationError(contradiction: "--null-sink", "--sink") }
    }
    if let output, output != .pulse {
      if nullSink { throw ValidationError(contradiction: "--null-sink", "--output \(output)") }
      if server != nil { throw ValidationError(contradiction: "--server", "--output \(output)") }
      if sink != nil { throw ValidationError(contradiction: "--sink", "--output \(output)") }
      if sinkDelay != nil { throw ValidationError(contradiction: "--sink-delay", "--output \(output)") }
    }
  }

  /// The name of the output's driver, for clients.
  var plugin: String { output == .simulated ? "simulated" : "pulse" }

  /// Whether a private null sink may replace a missing server: only if no server was named.
  func allowsSubstitute(environment: (String) -> String?) -> Bool {
    output == nil && server == nil && sink == nil && !nullSink && (environment("PULSE_SERVER") ?? "").isEmpty
  }
}

extension ValidationError {
  /// Creates the error for two options that contradict each other.
  init(contradiction first: String, _ second: String) {
    self.init("\(first) and \(second) contradict each other.")
  }
}

/// A value of `--sink-delay`.
struct SinkDelay: Hashable, Sendable {
  /// The delay in seconds, 0…60.
  let seconds: Double

  init(parsing text: String) throws(SyntaxError) {
    guard let time = TimeText.parse(text), time <= .seconds(60) else {
      throw SyntaxError("\"\(text)\" is not a time like 1.02, of a minute at most")
    }
    seconds = time.inSeconds
  }
}
