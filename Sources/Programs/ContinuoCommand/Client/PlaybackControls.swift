import ArgumentParser
import ControlClient
import ControlProtocol
import TextFormatting

protocol SimpleControl: ControlCommand {
  static var command: String { get }
  static var arguments: [ControlProtocol.Argument] { get }
  /// The timeout for the reply, in seconds.
  static var patience: Double { get }
}

extension SimpleControl {
  static var command: String { configuration.commandName ?? "" }
  static var arguments: [ControlProtocol.Argument] { [] }
  static var patience: Double { MPDClient.quickPatience }

  func perform(with client: inout MPDClient, output: CommandOutput) throws {
    try client.ask(Self.command, Self.arguments, timeout: Self.patience)
  }
}

struct Pause: SimpleControl {
  static let configuration = CommandConfiguration.control("pause", "Pauses playback.")
  static let arguments: [ControlProtocol.Argument] = ["1"]
  @OptionGroup var control: ControlOptions
}

struct Resume: SimpleControl {
  static let configuration = CommandConfiguration.control(
    "resume", "Resumes playback after a pause or a stop.")
  static let command = "play"
  @OptionGroup var control: ControlOptions
}

struct Toggle: ControlCommand {
  static let configuration = CommandConfiguration.control("toggle", "Pauses playback, or resumes it.")
  @OptionGroup var control: ControlOptions

  func perform(with client: inout MPDClient, output: CommandOutput) throws {
    // `status` reports `pause` also for a player that should play but waits for an audio server. So the
    // client cannot choose the new state; `pause` without an argument makes the server toggle it.
    let isStopped = try client.ask("status")["state"] == "stop"
    try client.ask(isStopped ? "play" : "pause")
  }
}

struct Stop: SimpleControl {
  static let configuration = CommandConfiguration.control("stop", "Stops playback and keeps the queue.")
  @OptionGroup var control: ControlOptions
}

struct Next: SimpleControl {
  static let configuration = CommandConfiguration.control("next", "Skips to the next song.")
  @OptionGroup var control: ControlOptions
}

struct Previous: SimpleControl {
  static let configuration = CommandConfiguration.control("previous", "Skips to the previous song.")
  @OptionGroup var control: ControlOptions
}

struct Clear: SimpleControl {
  static let configuration = CommandConfiguration.control("clear", "Stops playback and empties the queue.")
  @OptionGroup var control: ControlOptions
}

struct Seek: ControlCommand {
  static let configuration = CommandConfiguration.control(
    "seek", "Seeks to a time in the current song.", usage: "continuo seek [OPTIONS] TIME",
    """
    TIME is 12, 12.34, 1:02 or 1:02:03.5 from the beginning of the song, or with + or - from the position.
    """)

  @OptionGroup var control: ControlOptions

  // A list, because the parser takes -5 for an option.
  @ArgumentParser.Argument(
    parsing: .allUnrecognized, help: ArgumentHelp("The time to seek to.", valueName: "TIME"),
    completion: Completions.seek)
  var words: [String]

  mutating func validate() throws {
    words.removeTerminator()
    _ = try target
  }

  private var target: SeekTarget {
    get throws {
      guard words.count == 1 else { throw ValidationError("seek takes one time, as in seek 1:02.") }
      return try ValidationError.wrapping { try SeekTarget(parsing: words[0]) }
    }
  }

  func perform(with client: inout MPDClient, output: CommandOutput) throws {
    // The protocol's resolution is a millisecond.
    switch try target {
    case .absolute(let time): try client.ask("seekcur", [.init("\(Milliseconds(seconds: time.inSeconds))")])
    case .relative(let time):
      let change = Milliseconds(seconds: time.inSeconds)
      try client.ask("seekcur", [.init(change.rawValue >= 0 ? "+\(change)" : "\(change)")])
    }
  }
}
