package import ControlProtocol
package import SystemSupport

package enum ControlClientError: Error, Equatable, Sendable, CustomStringConvertible {
  /// No connection to the address is possible, for the reason given. The program exits with status 69.
  case noServer(at: ServerAddress, reason: String)
  /// The socket's file or directory does not let this user connect. The program exits with status 69.
  case noPermission(at: ServerAddress)
  /// The server closed the connection before its greeting, for example because it has too many clients or
  /// belongs to another user.
  case turnedAway(by: ServerAddress)
  case notAServer(ReplyParser.Failure)
  /// The server refused the command. The program exits with status 1.
  case refused(ReplyParser.Refusal)
  case timeout(seconds: Double)
  case disconnected
  case replyTooLarge
  case system(SystemCallError)

  package var description: String {
    switch self {
    case .noServer(let address, let reason): "no server at \(address): \(reason)"
    case .noPermission(let address):
      "\(address) is closed to this user; its owner can open it by serve --socket-mode"
    case .turnedAway(let address):
      "the server at \(address) closed the connection: it has too many clients, or is another user's"
    case .notAServer(.noGreeting): "not a control socket: no MPD greeting received"
    case .notAServer(let failure): "the server violates the protocol: \(failure)"
    case .refused(let refusal): refusal.message
    case .timeout(let seconds): "no answer for \(seconds) s"
    case .disconnected: "the server closed the connection"
    case .replyTooLarge: "the server's answer is too large"
    case .system(let error): "\(error)"
    }
  }
}
