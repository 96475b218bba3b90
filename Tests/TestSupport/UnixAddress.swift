package import Foundation

/// Calls `body` with the address of the socket at `path`, as `connect` and `bind` take it.
package func withUnixAddress<Result>(
  _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
) -> Result {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  // A path that is too long is cut, and then nobody is there.
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8).prefix($0.count - 1)) }
  return withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
    }
  }
}

/// A new stream socket, which is not handed down to programs.
package func unixSocket() -> Int32 {
  socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
}

/// A socket that is connected to the server at `path`.
package func connectedSocket(_ path: String) throws -> Int32 {
  let descriptor = unixSocket()
  guard withUnixAddress(path, { connect(descriptor, $0, $1) }) == 0 else {
    let reason = String(cString: strerror(errno))
    close(descriptor)
    throw ConnectionTrouble("\(path): \(reason)")
  }
  return descriptor
}

/// Why a conversation with a server cannot go on.
package struct ConnectionTrouble: Error, CustomStringConvertible {
  /// A sentence for a person.
  package let description: String

  init(_ description: String) { self.description = description }
}
