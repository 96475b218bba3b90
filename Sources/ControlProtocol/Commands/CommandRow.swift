/// What is known of a command apart from what it does: one row of the table of all commands.
///
/// Adding a command takes a case in a group of ``Command``, a row here, and the case's branch where its group is
/// answered, which the compiler asks for.
package struct CommandRow: Sendable {
  /// As clients write it.
  package let name: String
  /// How many arguments it takes.
  package let arguments: ClosedRange<Int>
  /// What a client must be allowed to do for it; empty if every client may.
  package let permission: Permissions
  /// Understands as many arguments as `arguments` has it.
  let command: @Sendable (_ arguments: [Argument]) throws(Ack) -> Command

  init(
    _ name: String, _ arguments: ClosedRange<Int>, _ permission: Permissions,
    _ command: @escaping @Sendable (_ arguments: [Argument]) throws(Ack) -> Command
  ) {
    self.name = name
    self.arguments = arguments
    self.permission = permission
    self.command = command
  }

  /// A command without arguments.
  init(_ name: String, _ permission: Permissions, _ command: Command) {
    self.init(name, 0...0, permission) { _ in command }
  }

  /// The command with this name; nil if there is none.
  package static func named(_ name: String) -> CommandRow? { rows[name] }

  private static let rows = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

  /// Whether a client with these permissions may use it.
  package func isAllowed(_ permissions: Permissions) -> Bool { permissions.isSuperset(of: permission) }

  /// Refuses a wrong number of arguments, in mpd's words.
  func check(argumentCount count: Int) throws(Ack) {
    if arguments.contains(count) { return }
    let problem =
      arguments.lowerBound == arguments.upperBound
      ? "wrong number of" : count < arguments.lowerBound ? "too few" : "too many"
    throw Ack(.argument, "\(problem) arguments for \"\(name)\"")
  }
}

extension Command {
  /// Understands a request. The checks come in mpd's order: is there such a command, may this client use it, has it
  /// the right number of arguments, are they what they should be.
  package init(_ request: Request, permissions: Permissions = .all) throws(Ack) {
    guard let row = CommandRow.named(request.name) else {
      throw Ack(.unknown, "unknown command \"\(request.name)\"")
    }
    guard row.isAllowed(permissions) else {
      throw Ack(.permission, "you don't have permission for \"\(request.name)\"")
    }
    try row.check(argumentCount: request.arguments.count)
    self = try row.command(request.arguments)
  }
}
