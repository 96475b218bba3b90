internal import Glibc
package import SystemSupport

/// A socket address of a host, including the port.
struct SocketAddress {
  /// `AF_INET` or `AF_INET6`.
  let family: Int32
  private let bytes: [UInt8]

  /// The reason why a host has no address.
  struct LookupError: Error, CustomStringConvertible {
    let code: Int32
    var description: String { gai_strerror(code).map { String(cString: $0) } ?? "error \(code)" }
  }

  /// Returns all addresses of a host, in the order in which the system recommends to try them. Blocks during
  /// a name lookup.
  static func all(of address: NetworkAddress) throws(LookupError) -> [SocketAddress] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_NUMERICSERV | AI_ADDRCONFIG
    var first: UnsafeMutablePointer<addrinfo>?
    // Without AI_ADDRCONFIG, numeric addresses also resolve on a machine without a network.
    if IPAddress(address.host) != nil { hints.ai_flags = AI_NUMERICSERV | AI_NUMERICHOST }
    let code = getaddrinfo(address.host, "\(address.port)", &hints, &first)
    guard code == 0 else { throw LookupError(code: code) }
    defer { freeaddrinfo(first) }
    var found: [SocketAddress] = []
    var entry = first
    while let current = entry?.pointee {
      if let pointer = current.ai_addr {
        found.append(
          SocketAddress(
            family: current.ai_family,
            bytes: Array(UnsafeRawBufferPointer(start: pointer, count: Int(current.ai_addrlen)))))
      }
      entry = current.ai_next
    }
    return found
  }

  func withPointer<Result, Failure>(
    _ body: (UnsafePointer<sockaddr>, socklen_t) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var storage = sockaddr_storage()
    withUnsafeMutableBytes(of: &storage) { $0.copyBytes(from: bytes.prefix($0.count)) }
    return try withUnsafePointer(to: storage) { pointer throws(Failure) in
      let raw = UnsafeRawPointer(pointer).assumingMemoryBound(to: sockaddr.self)
      return try body(raw, socklen_t(bytes.count))
    }
  }
}

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
