internal import Glibc

/// Where the control socket is when nobody says otherwise: the same answer for server and client.
package enum DefaultSocket {
  /// `$XDG_RUNTIME_DIR/continuo/socket`. Where that variable is missing, as under cron: `/run/user/UID` if it is the
  /// user's, else `/tmp/continuo-UID/socket`. The server makes the last directory and refuses to use it if it is
  /// another user's or open to others. Any thread; asks the file system.
  package static var path: String {
    let user = geteuid()
    return path(runtimeDirectory: getenv("XDG_RUNTIME_DIR").map { String(cString: $0) }, user: user) {
      var status = stat()
      return lstat($0, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == user
    }
  }

  /// A relative or empty value is to be ignored, says the XDG specification.
  package static func path(runtimeDirectory: String?, user: UInt32, isOwnDirectory: (String) -> Bool)
    -> String
  {
    if let runtimeDirectory, runtimeDirectory.hasPrefix("/") { return "\(runtimeDirectory)/continuo/socket" }
    let session = "/run/user/\(user)"
    return isOwnDirectory(session) ? "\(session)/continuo/socket" : "/tmp/continuo-\(user)/socket"
  }
}
