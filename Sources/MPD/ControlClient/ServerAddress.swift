package import SystemSupport

package enum ServerAddress: Hashable, Sendable, CustomStringConvertible {
  case path(String)
  case network(NetworkAddress)

  package var description: String {
    switch self {
    case .path(let path): path
    case .network(let address): "\(address)"
    }
  }
}
