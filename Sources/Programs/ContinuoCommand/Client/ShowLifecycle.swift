import ArgumentParser
import ControlClient
import TextFormatting

/// `continuo lifecycle`.
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

  func perform(with client: inout MPDClient, output: CommandOutput) throws -> ExitStatus {
    let lifecycle = RemoteLifecycle(try client.ask("lifecycle"))
    if form.json { try output.write(lifecycle.json) } else { try output.write(lifecycle.text) }
    return .played
  }
}
