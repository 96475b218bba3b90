package import ControlProtocol
package import ControlSocket

/// Why a client got no answer.
package enum ControlClientError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Nobody listens there. The command's exit status for it is 69.
  case noServer(at: ServerAddress, reason: String)
  /// The server closed the connection without a greeting: too many clients, or not for this user.
  case turnedAway(by: ServerAddress)
  /// Whoever listens there does not speak the protocol.
  case notAServer(ReplyParser.Failure)
  /// The command was refused. The command's exit status for it is 1.
  case refused(ReplyParser.Refusal)
  /// No answer in time.
  case timeout(seconds: Double)
  /// The server closed the connection before the answer was complete.
  case disconnected
  /// The whole answer is larger than ``ControlClient/largestReply``.
  case replyTooLarge
  /// The system refused.
  case system(SystemCallError)

  /// One line for a person.
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
