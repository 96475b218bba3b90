package import SystemSupport

/// The address of a control server.
package enum ServerAddress: Hashable, Sendable, CustomStringConvertible {
  /// The path of a Unix socket.
  case path(String)
  /// The host and port of a TCP socket.
  case network(NetworkAddress)

  /// The path, or the host and port, for display.
  package var description: String {
    switch self {
    case .path(let path): path
    case .network(let address): "\(address)"
    }
  }
}
