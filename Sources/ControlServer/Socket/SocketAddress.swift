internal import Glibc

/// A Unix-domain address.
enum UnixAddress {
  /// Bytes a path may have: `sun_path` less the zero that ends it.
  static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  /// Calls `body` with the address of `path`, or with nil if it is empty, too long, or has a zero in it.
  static func with<Result: ~Copyable>(
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

  /// The path that `descriptor` is bound to; nil if it is no Unix socket or has no path.
  static func path(of descriptor: Int32) -> String? {
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

/// Where the control socket is when nobody says otherwise: the same answer for server and client.
public enum DefaultSocket {
  /// `$XDG_RUNTIME_DIR/continuo/socket`. Where that variable is missing, as under cron: `/run/user/UID` if it is the
  /// user's, else `/tmp/continuo-UID/socket`. The server makes the last directory and refuses to use it if it is
  /// another user's or open to others. Any thread; asks the file system.
  public static var path: String {
    let user = geteuid()
    return path(runtimeDirectory: getenv("XDG_RUNTIME_DIR").map { String(cString: $0) }, user: user) {
      var status = stat()
      return lstat($0, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == user
    }
  }

  /// A relative or empty value is to be ignored, says the XDG specification.
  static func path(runtimeDirectory: String?, user: UInt32, isOwnDirectory: (String) -> Bool) -> String {
    if let runtimeDirectory, runtimeDirectory.hasPrefix("/") { return "\(runtimeDirectory)/continuo/socket" }
    let session = "/run/user/\(user)"
    return isOwnDirectory(session) ? "\(session)/continuo/socket" : "/tmp/continuo-\(user)/socket"
  }
}
