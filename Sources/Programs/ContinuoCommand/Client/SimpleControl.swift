import ArgumentParser
import ControlClient
import ControlProtocol

/// A command of `continuo` that is a single command of the server and prints nothing.
protocol SimpleControl: ControlCommand {
  static var command: String { get }
  static var arguments: [ControlProtocol.Argument] { get }
  /// The timeout for the reply, in seconds.
  static var patience: Double { get }
}

extension SimpleControl {
  static var arguments: [ControlProtocol.Argument] { [] }
  static var patience: Double { MPDClient.quickPatience }

  func perform(with client: inout MPDClient, output: CommandOutput) throws -> ExitStatus {
    try client.ask(Self.command, Self.arguments, timeout: Self.patience)
    return .played
  }
}

/// A command that waits until the application has reached the state that the command requests.
protocol ApplicationControl: SimpleControl {}

extension ApplicationControl { static var patience: Double { MPDClient.patience } }

extension CommandConfiguration {
  /// Returns the configuration of a command that connects to a server. Without `usage` the parser generates
  /// it.
  static func control(
    _ name: String, _ abstract: String, usage: String? = nil, _ discussion: String = ""
  ) -> Self {
    CommandConfiguration(
      commandName: name, abstract: abstract, usage: usage,
      discussion: discussion.isEmpty ? ControlTrouble.help : "\(discussion)\n\n\(ControlTrouble.help)")
  }
}
