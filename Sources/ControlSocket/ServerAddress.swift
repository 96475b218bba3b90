/// Where a control server is reached.
package enum ServerAddress: Hashable, Sendable, CustomStringConvertible {
  /// A Unix socket.
  case path(String)
  /// A TCP port.
  case network(NetworkAddress)

  /// For a person.
  package var description: String {
    switch self {
    case .path(let path): path
    case .network(let address): "\(address)"
    }
  }
}
