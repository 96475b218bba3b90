package import ControlProtocol
package import SystemSupport

/// The reason why a client got no reply.
package enum ControlClientError: Error, Equatable, Sendable, CustomStringConvertible {
  /// No server listens at the address. The program exits with status 69.
  case noServer(at: ServerAddress, reason: String)
  /// The server closed the connection before its greeting: it has too many clients, or belongs to another
  /// user.
  case turnedAway(by: ServerAddress)
  /// The peer does not speak the protocol.
  case notAServer(ReplyParser.Failure)
  /// The server refused the command. The program exits with status 1.
  case refused(ReplyParser.Refusal)
  /// No reply arrived within the timeout.
  case timeout(seconds: Double)
  /// The server closed the connection before the reply was complete.
  case disconnected
  /// The reply is larger than ``MPDClient/largestReply``.
  case replyTooLarge
  /// A system call failed.
  case system(SystemCallError)

  /// The error in one line, for display.
  package var description: String {
    switch self {
    case .noServer(let address, let reason): "no server at \(address): \(reason)"
    case .turnedAway(let address):
      "the server at \(address) closed the connection: it has too many clients, or is another user's"
    case .notAServer(.noGreeting): "not a control socket: it does not greet as one"
    case .notAServer(let failure): "the server does not keep to the protocol: \(failure)"
    case .refused(let refusal): refusal.message
    case .timeout(let seconds): "no answer for \(seconds) s"
    case .disconnected: "the server closed the connection"
    case .replyTooLarge: "the server's answer is too large"
    case .system(let error): "\(error)"
    }
  }
}
