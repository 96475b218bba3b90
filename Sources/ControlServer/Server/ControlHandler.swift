package import ControlProtocol
internal import Synchronization

/// What stands behind the socket: performs commands, and is told who watches what.
///
/// All calls come on the server's one thread and hold up every client: none may block. A command that takes time is
/// completed later, from any thread. Calls of the server's own methods are allowed from here.
package protocol ControlHandler: Sendable {
  /// Performs one command. A client's next one comes when this one is completed. Never one of
  /// `Command.Connection` or `Command.Channels`: the server answers those itself.
  func perform(
    _ command: Command, _ context: ConnectionMachine.Context, for client: ClientInfo, completion: Completion)

  /// A client began to watch. Its present state is to be sent with ``ControlServer/broadcast(_:to:only:)``; records
  /// that are broadcast from now on reach it, in the order in which they are sent.
  func watchBegan(_ topics: Set<WatchTopic>, by client: ClientInfo)

  /// A client watches no longer, or is gone.
  func watchEnded(by client: ClientInfo)

  /// A client sends no more. By the Unix socket it still reads what is answered; from the network a client that has closed its
  /// side and one that has gone look alike.
  func inputEnded(_ client: ClientInfo)

  /// A client's connection is closed: nobody reads what is answered. What it had sent before is still performed, and
  /// ``clientLeft(_:)`` follows.
  func connectionClosed(_ client: ClientInfo)

  /// A client is gone, and everything that it had sent before is done.
  func clientLeft(_ client: ClientInfo)

  /// A line for the operator's log: wrong passwords were given, at most one line in ten seconds.
  func report(_ text: String)
}

extension ControlHandler {
  /// Does nothing.
  package func watchBegan(_ topics: Set<WatchTopic>, by client: ClientInfo) {}
  /// Does nothing.
  package func watchEnded(by client: ClientInfo) {}
  /// Does nothing.
  package func inputEnded(_ client: ClientInfo) {}
  /// Does nothing.
  package func connectionClosed(_ client: ClientInfo) {}
  /// Does nothing.
  package func clientLeft(_ client: ClientInfo) {}
  /// Does nothing.
  package func report(_ text: String) {}
}

/// A stream of records that clients watch.
package enum WatchTopic: Hashable, Sendable {
  /// Each step of the time that is heard, of that length.
  case time(WatchInterval)
  /// What happens to the player and the application.
  case events

  static func all(of request: WatchRequest) -> Set<WatchTopic> {
    var topics: Set<WatchTopic> = []
    if let interval = request.interval { topics.insert(.time(interval)) }
    if request.events { topics.insert(.events) }
    return topics
  }
}

/// The answer that a command waits for. The first call counts. A completion that is dropped without a call answers
/// with an error, so that no client waits for ever.
package final class Completion: Sendable {
  private let client: ClientID
  private let mailbox: LoopMailbox
  private let isCalled = Atomic(false)

  init(client: ClientID, mailbox: LoopMailbox) {
    self.client = client
    self.mailbox = mailbox
  }

  /// Sends the reply, or the refusal. From any thread; does not block. Called before
  /// ``ControlHandler/perform(_:_:for:completion:)`` returns, it saves a change of threads.
  package func callAsFunction(_ result: Result<Reply, Ack>) {
    guard !isCalled.exchange(true, ordering: .relaxed) else { return }
    mailbox.complete(client, result)
  }

  /// Sends the reply.
  package func callAsFunction(_ reply: Reply) { self(.success(reply)) }

  /// Sends the refusal.
  package func callAsFunction(_ ack: Ack) { self(.failure(ack)) }

  deinit {
    if !isCalled.load(ordering: .relaxed) { mailbox.complete(client, .failure(Ack(.system, "no answer"))) }
  }
}

/// A connection, for as long as the server runs. Never given twice.
package struct ClientID: Hashable, Sendable {
  let number: UInt64
}

/// Who sends a command.
package struct ClientInfo: Sendable {
  /// The connection.
  package let id: ClientID
  /// The user and the process at the other end when it connected; nil for a client from the network.
  package let peer: PeerCredentials?
  /// Whether it is the server's own user, or root: who may name any file that the server can read. Never one from the
  /// network, where nobody vouches for who it is.
  package let isSameUser: Bool

  /// Whether it came by the Unix socket.
  package var isLocal: Bool { peer != nil }

  package init(id: ClientID, peer: PeerCredentials?, isSameUser: Bool) {
    self.id = id
    self.peer = peer
    self.isSameUser = isSameUser
  }
}
