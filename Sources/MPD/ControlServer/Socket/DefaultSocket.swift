internal import Glibc

/// The default path of the control socket, the same for server and client.
package enum DefaultSocket {
  /// The path `$XDG_RUNTIME_DIR/continuo/socket`. If that variable is missing, as under cron, `/run/user/UID`
  /// replaces it if that directory belongs to the user. Otherwise the path is `/tmp/continuo-UID/socket`. The
  /// server creates the last directory, and refuses one that belongs to another user or is open to others.
  /// Any thread; reads the file system.
  package static var path: String {
    let user = geteuid()
    return path(runtimeDirectory: getenv("XDG_RUNTIME_DIR").map { String(cString: $0) }, user: user) {
      var status = stat()
      return lstat($0, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == user
    }
  }

  /// Returns the default path for a value of `XDG_RUNTIME_DIR`. The XDG Base Directory Specification requires
  /// that a relative or empty value is ignored.
  package static func path(runtimeDirectory: String?, user: UInt32, isOwnDirectory: (String) -> Bool)
    -> String
  {
    if let runtimeDirectory, runtimeDirectory.hasPrefix("/") { return "\(runtimeDirectory)/continuo/socket" }
    let session = "/run/user/\(user)"
    return isOwnDirectory(session) ? "\(session)/continuo/socket" : "/tmp/continuo-\(user)/socket"
  }
}
