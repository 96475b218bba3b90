/// A connection, for as long as the server runs. Never given twice.
public struct ClientID: Hashable, Sendable {
  let number: UInt64
}

/// Who sends a command.
public struct ClientInfo: Sendable {
  /// The connection.
  public let id: ClientID
  /// The user and the process at the other end when it connected.
  public let peer: PeerCredentials
  /// Whether it is the server's own user, or root: who may name any file that the server can read.
  public let isSameUser: Bool
}
