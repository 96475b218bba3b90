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
package func unixSocket() -> Int32 { socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0) }

/// A socket that is connected to the server at `path`, or at `tcp:PORT` on this machine.
package func connectedSocket(_ path: String) throws -> Int32 {
  let descriptor: Int32
  let result: Int32
  if path.hasPrefix("tcp:"), let port = UInt16(path.dropFirst(4)) {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  } else {
    descriptor = unixSocket()
    result = withUnixAddress(path) { connect(descriptor, $0, $1) }
  }
  guard result == 0 else {
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
