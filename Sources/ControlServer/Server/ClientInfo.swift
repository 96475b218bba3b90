/// A connection, for as long as the server runs. Never given twice.
package struct ClientID: Hashable, Sendable {
  let number: UInt64
}

/// Who sends a command.
package struct ClientInfo: Sendable {
  /// The connection.
  package let id: ClientID
  /// The user and the process at the other end when it connected.
  package let peer: PeerCredentials
  /// Whether it is the server's own user, or root: who may name any file that the server can read.
  package let isSameUser: Bool
}
