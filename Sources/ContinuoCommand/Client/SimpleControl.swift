import ArgumentParser
import ControlClient
import ControlProtocol

/// A command of `continuo` that is one command of the server's, and has nothing to print.
protocol SimpleControl: ControlCommand {
  static var command: String { get }
  static var arguments: [ControlProtocol.Argument] { get }
  /// Seconds to wait for it.
  static var patience: Double { get }
}

extension SimpleControl {
  static var arguments: [ControlProtocol.Argument] { [] }
  static var patience: Double { ControlClient.quickPatience }

  func perform(with client: inout ControlClient, output: CommandOutput) throws -> ExitStatus {
    try client.ask(Self.command, Self.arguments, timeout: Self.patience)
    return .played
  }
}

/// One that waits until the application is where the command leads to.
protocol ApplicationControl: SimpleControl {}

extension ApplicationControl {
  static var patience: Double { ControlClient.patience }
}

extension CommandConfiguration {
  /// That of a command that speaks to a server. Without `usage` the parser words it.
  static func control(
    _ name: String, _ abstract: String, usage: String? = nil, _ discussion: String = ""
  ) -> Self {
    CommandConfiguration(
      commandName: name, abstract: abstract, usage: usage,
      discussion: discussion.isEmpty ? ControlTrouble.help : "\(discussion)\n\n\(ControlTrouble.help)")
  }
}
