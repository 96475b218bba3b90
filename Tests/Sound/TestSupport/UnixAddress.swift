import Foundation
import SystemSupport

/// Creates a stream socket that no program inherits.
package func unixSocket() -> Int32 { socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0) }

/// A socket that is connected to the server at `path`, or at `tcp:PORT` on this machine.
package func connectedSocket(_ path: String) throws -> Int32 {
  let descriptor: Int32
  let result: Int32
  if path.hasPrefix("tcp:"), let port = UInt16(path.dropFirst(4)) {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    result = LoopbackSocket.withAddress(Int(port)) { connect(descriptor, $0, $1) }
  } else {
    descriptor = unixSocket()
    result = UnixAddress.with(path) { connect(descriptor, $0, $1) }
  }
  guard result == 0 else {
    let reason = String(cString: strerror(errno))
    close(descriptor)
    throw ConnectionTrouble("\(path): \(reason)")
  }
  return descriptor
}

/// The reason why a test's server or tool cannot be used.
package struct ConnectionTrouble: Error, CustomStringConvertible {
  /// A sentence for a person.
  package let description: String

  init(_ description: String) { self.description = description }
}
