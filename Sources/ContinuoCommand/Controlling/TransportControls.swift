import ArgumentParser
import ControlProtocol

/// `continuo pause`.
struct Pause: SimpleControl {
  static let configuration = CommandConfiguration.control("pause", "Pauses what plays.")
  static let command = Command.pause(true)
  @OptionGroup var control: ControlOptions
}

/// `continuo resume`.
struct Resume: SimpleControl {
  static let configuration = CommandConfiguration.control(
    "resume", "Plays on, or begins where it was stopped.")
  static let command = Command.play(position: nil)
  @OptionGroup var control: ControlOptions
}

/// `continuo toggle`.
struct Toggle: ControlCommand {
  static let configuration = CommandConfiguration.control("toggle", "Pauses what plays, plays what does not.")
  @OptionGroup var control: ControlOptions

  func perform(in session: inout ControlSession, output: CommandOutput) throws -> ExitStatus {
    // What is paused and what only waits for an audio server look the same in the status: the server knows which of
    // them is meant to play.
    let isStopped = try session.perform(.status)["state"] == "stop"
    try session.perform(isStopped ? .play(position: nil) : .pause(nil))
    return .played
  }
}

/// `continuo stop`.
struct Stop: SimpleControl {
  static let configuration = CommandConfiguration.control("stop", "Stops playing. The queue stays.")
  static let command = Command.stop
  @OptionGroup var control: ControlOptions
}

/// `continuo next`.
struct Next: SimpleControl {
  static let configuration = CommandConfiguration.control("next", "Goes to the next song.")
  static let command = Command.next
  @OptionGroup var control: ControlOptions
}

/// `continuo previous`.
struct Previous: SimpleControl {
  static let configuration = CommandConfiguration.control("previous", "Goes to the song before.")
  static let command = Command.previous
  @OptionGroup var control: ControlOptions
}

/// `continuo clear`.
struct Clear: SimpleControl {
  static let configuration = CommandConfiguration.control("clear", "Stops playing and empties the queue.")
  static let command = Command.clear
  @OptionGroup var control: ControlOptions
}
