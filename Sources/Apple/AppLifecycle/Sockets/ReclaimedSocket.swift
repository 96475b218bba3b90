/// A TCP socket reclaimed from a suspended application.
public struct ReclaimedSocket: Hashable, Sendable, CustomStringConvertible {
  /// The use of a socket before it was reclaimed.
  public enum Use: Hashable, Sendable {
    /// A listening socket that accepts connections.
    case listening
    /// A connection to this address and port, including one that the peer has already closed.
    case connected(to: String)
    /// A connection attempt in progress.
    case connecting
  }

  /// The local address and port, `127.0.0.1:8000` or `[::1]:8000`.
  public var address: String
  /// The use of the socket before it was reclaimed.
  public var use: Use

  /// Creates a description of a reclaimed socket.
  public init(address: String, use: Use) {
    self.address = address
    self.use = use
  }

  /// The addresses and use: `127.0.0.1:8000 listening`, `10.0.0.2:51234 → 10.0.0.1:80` or
  /// `10.0.0.2:51234 connecting`.
  public var description: String {
    switch use {
    case .listening: "\(address) listening"
    case .connected(let peer): "\(address) → \(peer)"
    case .connecting: "\(address) connecting"
    }
  }
}
