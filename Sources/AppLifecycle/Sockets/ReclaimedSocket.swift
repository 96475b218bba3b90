/// A TCP socket that the system has taken from a suspended application.
public struct ReclaimedSocket: Hashable, Sendable, CustomStringConvertible {
  /// What a socket was doing.
  public enum Use: Hashable, Sendable {
    /// It took connections.
    case listening
    /// It was connected with this address and port, or the other end had closed the connection already.
    case connected(to: String)
    /// Its connection was being made.
    case connecting
  }

  /// Its own address and port, `127.0.0.1:8000` or `[::1]:8000`.
  public var address: String
  /// What it was doing.
  public var use: Use

  /// A socket with this address and use.
  public init(address: String, use: Use) {
    self.address = address
    self.use = use
  }

  /// `127.0.0.1:8000 listening`, `10.0.0.2:51234 → 10.0.0.1:80` or `10.0.0.2:51234 connecting`.
  public var description: String {
    switch use {
    case .listening: "\(address) listening"
    case .connected(let peer): "\(address) → \(peer)"
    case .connecting: "\(address) connecting"
    }
  }
}
