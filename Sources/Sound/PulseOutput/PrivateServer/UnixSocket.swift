import Glibc
import SystemSupport

enum UnixSocket {
  /// Whether a server accepts connections at `path`. Never blocks.
  static func isListening(at path: String) -> Bool {
    let descriptor = socket(
      AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return UnixAddress.with(path) { address, length in
      address.map { connect(descriptor, $0, length) == 0 } ?? false
    }
  }
}
