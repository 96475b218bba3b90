import ArgumentParser
import ControlClient
import ControlProtocol
import TextFormatting

/// A command whose reply may come only when the application has handled an event.
protocol ApplicationControl: SimpleControl {}

extension ApplicationControl {
  static var patience: Double { MPDClient.patience }
}

struct Home: ApplicationControl {
  static let configuration = CommandConfiguration.control(
    "home", "Presses the home button; waits until the application is in the background.")
  @OptionGroup var control: ControlOptions
}

struct Foreground: ApplicationControl {
  static let configuration = CommandConfiguration.control(
    "foreground", "Brings the application to the foreground; waits until it is active.")
  @OptionGroup var control: ControlOptions
}

struct Lock: ApplicationControl {
  static let configuration = CommandConfiguration.control("lock", "Locks the screen.")
  @OptionGroup var control: ControlOptions
}

struct Unlock: ApplicationControl {
  static let configuration = CommandConfiguration.control("unlock", "Unlocks the screen.")
  @OptionGroup var control: ControlOptions
}

struct Terminate: ApplicationControl {
  static let configuration = CommandConfiguration.control(
    "terminate", "Terminates the application as the system does. The server keeps running.")
  @OptionGroup var control: ControlOptions
}

struct Launch: ApplicationControl {
  static let configuration = CommandConfiguration.control(
    "launch", "Launches the application again, with its queue.")
  @OptionGroup var control: ControlOptions
}

struct Interrupt: ControlCommand {
  static let configuration = CommandConfiguration.control(
    "interrupt", "Begins or ends an interruption, such as a phone call.",
    usage: "continuo interrupt [OPTIONS] begin|end [resume|noresume]",
    "At its end, paused playback resumes, unless noresume is given.")

  enum Moment: String, ExpressibleByArgument, CaseIterable { case begin, end }

  enum Outcome: String, ExpressibleByArgument, CaseIterable { case resume, noresume }

  @OptionGroup var control: ControlOptions
  @ArgumentParser.Argument(help: "The event: begin or end.") var moment: Moment
  @ArgumentParser.Argument(help: "With end: resume or noresume. (default: resume)") var outcome: Outcome?

  mutating func validate() throws {
    if moment == .begin, outcome != nil {
      throw ValidationError("interrupt begin takes no further argument.")
    }
  }

  func perform(with client: inout MPDClient, output: CommandOutput) throws {
    let words = moment == .end ? ["end", (outcome ?? .resume).rawValue] : ["begin"]
    try client.ask("interrupt", words.map { .init($0) }, timeout: MPDClient.patience)
  }
}

struct ShowLifecycle: ControlCommand {
  static let configuration = CommandConfiguration.control(
    "lifecycle", "Shows the application's state, and the reasons that keep it running.",
    """
    --json prints one object: application (active, inactive, background, suspended, notRunning), backgroundModes and \
    keptRunningBy (arrays), backgroundTimeRemaining (seconds; null: unlimited), tasks (an array of objects with name \
    and age, in seconds), terminated (null, or code and reason of the last termination).
    """)

  @OptionGroup var control: ControlOptions
  @OptionGroup var form: FormOptions

  func perform(with client: inout MPDClient, output: CommandOutput) throws {
    let lifecycle = RemoteLifecycle(try client.ask("lifecycle"))
    if form.json { try output.write(lifecycle.json) } else { try output.write(lifecycle.text) }
  }
}
