import ControlProtocol
import ControlServer

/// A conversation of a command with a server. Every call may block, and no longer than its limit.
struct ControlSession: ~Copyable {
  /// Seconds to wait for what a server answers from memory: long enough for one that is busy or swapped out.
  static let patience = 5.0
  /// Seconds to wait where the server goes to the disk or waits for the application.
  static let longPatience = ControlClient.patience

  private var client: ControlClient

  /// Connects to the server at `path`.
  init(path: String) throws(ControlClientError) {
    client = try ControlClient.connected(to: path, timeout: Self.patience)
  }

  /// Has a command carried out; what is answered. A refusal is thrown.
  @discardableResult
  mutating func perform(_ command: Command, patience: Double = patience) throws -> ReplyFields {
    ReplyFields(try client.perform(command.request(), timeout: patience))
  }

  /// Has commands carried out one right after the other; what each answers. A refusal is thrown, and the commands
  /// behind it are not carried out.
  mutating func perform(_ commands: [Command]) throws -> [ReplyFields] {
    try client.send(Request("command_list_ok_begin"))
    for command in commands { try client.send(command.request()) }
    try client.send(Request("command_list_end"))
    let elements = try client.reply(timeout: Self.patience)
    return elements.split(separator: .listOK, omittingEmptySubsequences: false).map { ReplyFields($0) }
  }

  /// Sends a request as it is; what is answered. Waits for ever if `patience` is nil.
  mutating func perform(
    _ request: Request, patience: Double?
  ) throws(ControlClientError) -> [ReplyParser.Element] {
    try send(request)
    return try client.reply(timeout: patience)
  }

  /// Sends a request whose answer is read piece by piece.
  mutating func send(_ request: Request) throws(ControlClientError) {
    try client.send(request, timeout: Self.patience)
  }

  /// The next piece. Waits for ever if `patience` is nil.
  mutating func next(patience: Double?) throws(ControlClientError) -> ReplyParser.Element {
    try client.next(timeout: patience)
  }
}
