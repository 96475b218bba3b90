import ArgumentParser
import ControlClient
import ControlProtocol

/// `continuo pause`.
struct Pause: SimpleControl {
  static let configuration = CommandConfiguration.control("pause", "Pauses what plays.")
  static let command = "pause"
  static let arguments: [ControlProtocol.Argument] = ["1"]
  @OptionGroup var control: ControlOptions
}

/// `continuo resume`.
struct Resume: SimpleControl {
  static let configuration = CommandConfiguration.control(
    "resume", "Plays on, or begins where it was stopped.")
  static let command = "play"
  @OptionGroup var control: ControlOptions
}

/// `continuo toggle`.
struct Toggle: ControlCommand {
  static let configuration = CommandConfiguration.control("toggle", "Pauses what plays, plays what does not.")
  @OptionGroup var control: ControlOptions

  func perform(with client: inout ControlClient, output: CommandOutput) throws -> ExitStatus {
    // What is paused and what only waits for an audio server look the same in the status: the server knows which of
    // them is meant to play.
    let isStopped = try client.ask("status")["state"] == "stop"
    try client.ask(isStopped ? "play" : "pause")
    return .played
  }
}

/// `continuo stop`.
struct Stop: SimpleControl {
  static let configuration = CommandConfiguration.control("stop", "Stops playing. The queue stays.")
  static let command = "stop"
  @OptionGroup var control: ControlOptions
}

/// `continuo next`.
struct Next: SimpleControl {
  static let configuration = CommandConfiguration.control("next", "Goes to the next song.")
  static let command = "next"
  @OptionGroup var control: ControlOptions
}

/// `continuo previous`.
struct Previous: SimpleControl {
  static let configuration = CommandConfiguration.control("previous", "Goes to the song before.")
  static let command = "previous"
  @OptionGroup var control: ControlOptions
}

/// `continuo clear`.
struct Clear: SimpleControl {
  static let configuration = CommandConfiguration.control("clear", "Stops playing and empties the queue.")
  static let command = "clear"
  @OptionGroup var control: ControlOptions
}
