package import Glibc

package enum UnixAddress {
  /// The maximum length of a path, in bytes: the size of `sun_path` less the terminating zero.
  package static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  /// Calls `body` with the address of `path`, or with nil if the path is empty, too long or contains a zero.
  package static func with<Result: ~Copyable>(
    _ path: String, _ body: (UnsafePointer<sockaddr>?, socklen_t) -> Result
  ) -> Result {
    let bytes = Array(path.utf8)
    guard !bytes.isEmpty, bytes.count <= longestPath, !bytes.contains(0) else { return body(nil, 0) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  /// Returns the path to which `descriptor` is bound; nil if `descriptor` is not a Unix socket or has no
  /// path.
  package static func path(of descriptor: Int32) -> String? {
    var address = sockaddr_un()
    var length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    guard result == 0, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
    let bytes = withUnsafeBytes(of: &address.sun_path) { Array($0.prefix { $0 != 0 }) }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }
}
