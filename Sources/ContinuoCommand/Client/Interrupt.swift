import ArgumentParser
import ControlClient
import ControlProtocol

/// `continuo interrupt`.
struct Interrupt: ControlCommand {
  static let configuration = CommandConfiguration.control(
    "interrupt", "Has a call come in, or end.",
    usage: "continuo interrupt [OPTIONS] begin|end [resume|noresume]",
    "When it ends, what it paused goes on, unless noresume says otherwise.")

  /// What happens.
  enum Moment: String, ExpressibleByArgument, CaseIterable {
    case begin, end
  }

  /// Whether the application is told to go on.
  enum Outcome: String, ExpressibleByArgument, CaseIterable {
    case resume, noresume
  }

  @OptionGroup var control: ControlOptions

  @ArgumentParser.Argument(help: "begin or end.")
  var moment: Moment

  @ArgumentParser.Argument(help: "With end: resume or noresume. (default: resume)")
  var outcome: Outcome?

  mutating func validate() throws {
    if moment == .begin, outcome != nil { throw ValidationError("interrupt begin takes nothing more.") }
  }

  func perform(with client: inout ControlClient, output: CommandOutput) throws -> ExitStatus {
    let end: [ControlProtocol.Argument] =
      moment == .end ? [ControlProtocol.Argument((outcome ?? .resume).rawValue)] : []
    try client.ask(
      "interrupt", [ControlProtocol.Argument(moment.rawValue)] + end, timeout: ControlClient.patience)
    return .played
  }
}
