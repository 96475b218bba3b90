/// The syntax and permission of a command: a row of the table of all commands.
///
/// A new command needs a case in a group of ``Command``, a row in ``all``, and a branch in the code that
/// performs the group. The compiler demands only the branch.
package struct CommandRow: Sendable {
  package let name: String
  package let arguments: ClosedRange<Int>
  /// The permission that the command requires; empty if every client may use it.
  package let permission: Permissions
  /// Parses the arguments, whose number must be in `arguments`.
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

  init(_ name: String, _ permission: Permissions, _ command: Command) {
    self.init(name, 0...0, permission) { _ in command }
  }

  package static func named(_ name: String) -> CommandRow? { rows[name] }

  private static let rows = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

  package func isAllowed(_ permissions: Permissions) -> Bool { permissions.isSuperset(of: permission) }

  /// Throws mpd's error for a wrong number of arguments.
  func check(argumentCount count: Int) throws(Ack) {
    if arguments.contains(count) { return }
    let problem =
      arguments.lowerBound == arguments.upperBound
      ? "wrong number of" : count < arguments.lowerBound ? "too few" : "too many"
    throw Ack(.argument, "\(problem) arguments for \"\(name)\"")
  }
}

extension Command {
  /// Parses a request. The checks are made in mpd's order: the name, the permission, the number of arguments,
  /// the arguments.
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
