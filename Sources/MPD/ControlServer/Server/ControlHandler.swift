package import ControlProtocol
internal import Synchronization
package import SystemSupport

/// Performs the commands of a server's clients, and is notified of their watches.
///
/// All calls come on the server's only thread and delay every client, so they must not block. A command that
/// takes time is completed later, from any thread. The non-blocking methods of ``MPDServer`` may be called
/// from here.
package protocol ControlHandler: Sendable {
  /// Performs one command. A client's next command comes after the completion of this one. The server
  /// performs `Command.Connection` and `Command.Channels` itself, so these never come here.
  func perform(
    _ command: Command, _ context: ConnectionMachine.Context, for client: ClientInfo, completion: Completion)

  /// A client began to watch. Send it the current state with ``MPDServer/broadcast(_:to:only:)``.
  func watchBegan(_ topics: Set<WatchTopic>, by client: ClientInfo)

  /// A client has ended its watch or has disconnected.
  func watchEnded(by client: ClientInfo)

  /// A client sends no more. On the Unix socket it still reads answers. On the network, a client that has
  /// closed its side cannot be distinguished from one that has disconnected.
  func inputEnded(_ client: ClientInfo)

  /// A client's connection is closed, so no more answers are read. Commands already received are still performed,
  /// unless the server closed the connection or they follow a password whose answer is pending. ``clientLeft(_:)``
  /// follows.
  func connectionClosed(_ client: ClientInfo)

  /// A client has disconnected, and all its commands are complete, unless the server closed the connection while a
  /// command was in progress.
  func clientLeft(_ client: ClientInfo)

  /// Logs a line for the operator. Wrong passwords are warnings, at most one in ten seconds. Clients that
  /// connect or leave, and refused commands, are for debugging.
  func report(_ level: LogLevel, _ text: String)
}

/// Empty default implementations, for a handler that only performs commands.
extension ControlHandler {
  package func watchBegan(_ topics: Set<WatchTopic>, by client: ClientInfo) {}
  package func watchEnded(by client: ClientInfo) {}
  package func inputEnded(_ client: ClientInfo) {}
  package func connectionClosed(_ client: ClientInfo) {}
  package func clientLeft(_ client: ClientInfo) {}
  package func report(_ level: LogLevel, _ text: String) {}
}

/// A stream of records that clients watch.
package enum WatchTopic: Hashable, Sendable {
  /// A record each time playback reaches a multiple of the interval, starts, stops or jumps.
  case time(WatchInterval)
  /// The events of the player and the application.
  case events

  static func all(of request: WatchRequest) -> Set<WatchTopic> {
    var topics: Set<WatchTopic> = []
    if let interval = request.interval { topics.insert(.time(interval)) }
    if request.events { topics.insert(.events) }
    return topics
  }
}

/// The completion of one command. Only the first call counts. A completion that is released without a call
/// answers with an error, so that no client waits forever.
package final class Completion: Sendable {
  private let client: ClientID
  private let mailbox: LoopMailbox
  private let isCalled = Atomic(false)

  init(client: ClientID, mailbox: LoopMailbox) {
    self.client = client
    self.mailbox = mailbox
  }

  /// Sends the reply or the refusal. Any thread; does not block. A call on the thread of
  /// ``ControlHandler/perform(_:_:for:completion:)`` avoids a switch of threads.
  package func callAsFunction(_ result: Result<Reply, Ack>) {
    guard !isCalled.exchange(true, ordering: .relaxed) else { return }
    mailbox.complete(client, result)
  }

  package func callAsFunction(_ reply: Reply) { self(.success(reply)) }

  package func callAsFunction(_ ack: Ack) { self(.failure(ack)) }

  deinit {
    if !isCalled.load(ordering: .relaxed) { mailbox.complete(client, .failure(Ack(.system, "no answer"))) }
  }
}

/// The identifier of a connection, unique as long as the server runs.
package struct ClientID: Hashable, Sendable {
  let number: UInt64
}

extension ClientID: CustomStringConvertible {
  package var description: String { "client \(number)" }
}

package struct ClientInfo: Sendable {
  package let id: ClientID
  /// Whether the client uses the Unix socket or is this process itself.
  package let isLocal: Bool
  /// Whether the client is the server's own user or root, who may name any file that the server can read.
  /// Always false for clients from the network, whose identity is unknown.
  package let isSameUser: Bool

  /// The client for commands of this process itself, which have no connection.
  package static var own: ClientInfo {
    ClientInfo(id: ClientID(number: 0), isLocal: true, isSameUser: true)
  }
}
