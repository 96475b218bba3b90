import ArgumentParser
import ControlProtocol
import TextFormatting

extension ReplayGainMode: ExpressibleByArgument {}

/// Where sound goes.
struct SoundOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The PulseAudio server, as in PULSE_SERVER.", valueName: "address"))
  var server: String?

  @Option(help: ArgumentHelp("The sink of that server.", valueName: "name"), completion: Completions.sinks)
  var sink: String?

  @Option(
    help: ArgumentHelp(
      "How long sound takes from the sink to the ear beyond what the server knows, as 1.02. (default: 0)",
      discussion:
        "For what carries it to other rooms: the time that is told is then that which is heard there. Up to a minute.",
      valueName: "seconds"),
    transform: SinkDelay.init(parsing:))
  var sinkDelay: SinkDelay?

  @Flag(help: "Start a private PulseAudio with a null sink, play there, and take it down at exit.")
  var nullSink = false

  @Option(
    help: ArgumentHelp(
      "Where sound goes: pulse, wav:PATH (a file, as fast as it can be written) or simulated (no server, real time).",
      discussion: """
        Without this option sound goes to PulseAudio. If there is none to be reached and none was named by \
        --server, --sink or PULSE_SERVER, a private null sink takes its place.
        """, valueName: "pulse|wav:PATH|simulated"),
    completion: Completions.outputs, transform: OutputChoice.init(parsing:))
  var output: OutputChoice?

  @Option(
    help: ArgumentHelp(
      "Play songs equally loud, by the ReplayGain values in their tags.",
      discussion: """
        Of the song, of its album, or auto: of the album, and in random order of the song. Nothing is clipped: a song \
        without a peak in its tags is never amplified. Gains beyond 51.1 dB are ignored.
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

  /// What drives the output, for clients.
  var plugin: String { output == .simulated ? "simulated" : "pulse" }

  /// Whether a private null sink may take the place of a server that is not there: only where none was named.
  func allowsSubstitute(environment: (String) -> String?) -> Bool {
    output == nil && server == nil && sink == nil && !nullSink && (environment("PULSE_SERVER") ?? "").isEmpty
  }
}

extension ValidationError {
  /// Two options that cannot both be meant.
  init(contradiction first: String, _ second: String) {
    self.init("\(first) and \(second) contradict each other.")
  }
}

/// A value of `--sink-delay`.
struct SinkDelay: Hashable, Sendable {
  /// 0…60.
  let seconds: Double

  init(parsing text: String) throws(SyntaxError) {
    guard let time = TimeText.parse(text), time <= .seconds(60) else {
      throw SyntaxError("\"\(text)\" is not a time like 1.02, of a minute at most")
    }
    seconds = time.inSeconds
  }
}
