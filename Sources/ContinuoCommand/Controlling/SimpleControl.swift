import ArgumentParser
import ControlProtocol

/// A command of `continuo` that is one command of the server's, and has nothing to print.
protocol SimpleControl: ControlCommand {
  static var command: Command { get }
  /// Seconds to wait for it.
  static var patience: Double { get }
}

extension SimpleControl {
  static var patience: Double { ControlSession.patience }

  func perform(in session: inout ControlSession, output: CommandOutput) throws -> ExitStatus {
    try session.perform(Self.command, patience: Self.patience)
    return .played
  }
}

/// One that waits until the application is where the command leads to.
protocol ApplicationControl: SimpleControl {}

extension ApplicationControl {
  static var patience: Double { ControlSession.longPatience }
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
