import ArgumentParser
import ControlClient
import ControlProtocol

/// `continuo interrupt`.
struct Interrupt: ControlCommand {
  static let configuration = CommandConfiguration.control(
    "interrupt", "Begins or ends an interruption, such as a phone call.",
    usage: "continuo interrupt [OPTIONS] begin|end [resume|noresume]",
    "At its end, paused playback resumes, unless noresume is given.")

  /// The start or the end of an interruption.
  enum Moment: String, ExpressibleByArgument, CaseIterable { case begin, end }

  /// Whether paused playback resumes at the end.
  enum Outcome: String, ExpressibleByArgument, CaseIterable { case resume, noresume }

  @OptionGroup var control: ControlOptions

  @ArgumentParser.Argument(help: "The event: begin or end.") var moment: Moment

  @ArgumentParser.Argument(help: "With end: resume or noresume. (default: resume)") var outcome: Outcome?

  mutating func validate() throws {
    if moment == .begin, outcome != nil { throw ValidationError("interrupt begin takes nothing more.") }
  }

  func perform(with client: inout MPDClient, output: CommandOutput) throws -> ExitStatus {
    let end: [ControlProtocol.Argument] =
      moment == .end ? [ControlProtocol.Argument((outcome ?? .resume).rawValue)] : []
    try client.ask(
      "interrupt", [ControlProtocol.Argument(moment.rawValue)] + end, timeout: MPDClient.patience)
    return .played
  }
}
