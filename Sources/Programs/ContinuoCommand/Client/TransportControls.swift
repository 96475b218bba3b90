import ArgumentParser
import ControlClient
import ControlProtocol

/// `continuo pause`.
struct Pause: SimpleControl {
  static let configuration = CommandConfiguration.control("pause", "Pauses playback.")
  static let command = "pause"
  static let arguments: [ControlProtocol.Argument] = ["1"]
  @OptionGroup var control: ControlOptions
}

/// `continuo resume`.
struct Resume: SimpleControl {
  static let configuration = CommandConfiguration.control(
    "resume", "Resumes playback after a pause or a stop.")
  static let command = "play"
  @OptionGroup var control: ControlOptions
}

/// `continuo toggle`.
struct Toggle: ControlCommand {
  static let configuration = CommandConfiguration.control("toggle", "Pauses playback, or resumes it.")
  @OptionGroup var control: ControlOptions

  func perform(with client: inout MPDClient, output: CommandOutput) throws -> ExitStatus {
    // `status` reports a paused player and one that waits for an audio server alike. The server knows which
    // one should play, so its `pause` toggles.
    let isStopped = try client.ask("status")["state"] == "stop"
    try client.ask(isStopped ? "play" : "pause")
    return .played
  }
}

/// `continuo stop`.
struct Stop: SimpleControl {
  static let configuration = CommandConfiguration.control("stop", "Stops playback and keeps the queue.")
  static let command = "stop"
  @OptionGroup var control: ControlOptions
}

/// `continuo next`.
struct Next: SimpleControl {
  static let configuration = CommandConfiguration.control("next", "Skips to the next song.")
  static let command = "next"
  @OptionGroup var control: ControlOptions
}

/// `continuo previous`.
struct Previous: SimpleControl {
  static let configuration = CommandConfiguration.control("previous", "Skips to the previous song.")
  static let command = "previous"
  @OptionGroup var control: ControlOptions
}

/// `continuo clear`.
struct Clear: SimpleControl {
  static let configuration = CommandConfiguration.control("clear", "Stops playback and empties the queue.")
  static let command = "clear"
  @OptionGroup var control: ControlOptions
}
