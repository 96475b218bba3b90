internal import Glibc
internal import SystemSupport

/// The open directory of a socket. The descriptor stays valid even if the directory is renamed.
struct SocketDirectory: ~Copyable {
  let path: String
  private let descriptor: OwnedDescriptor

  /// The maximum wait for the directory's lock, in seconds. A starting server holds the lock for a
  /// millisecond; two seconds suffice on an overloaded machine.
  static let lockLimit = 2.0

  static func path(ofSocket socketPath: String) -> String {
    let parts = socketPath.split(separator: "/", omittingEmptySubsequences: true).dropLast()
    let path = (socketPath.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
    return path.isEmpty ? "." : path
  }

  init(existing path: String, followsLink: Bool = true) throws(SystemCallError) {
    self.path = path
    descriptor = try OwnedDescriptor(
      open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (followsLink ? 0 : O_NOFOLLOW)), from: "open")
  }

  /// Returns the open directory of `socketPath`. Creates the directory and its parents if missing. A
  /// directory made for the socket (`isPrivate`) gets its mode again at each start; the mode of any other
  /// existing directory is unchanged.
  static func prepare(
    forSocket socketPath: String, access: SocketAccess, group: UInt32?, isPrivate: Bool
  ) throws(ListenError) -> SocketDirectory {
    let path = path(ofSocket: socketPath)
    do throws(SystemCallError) {
      let isNew = try make(path, mode: access.directoryMode)
      let directory = try SocketDirectory(existing: path, followsLink: !isPrivate)
      let isTrusted = try directory.isTrusted(isPrivate: isPrivate)
      if isTrusted {
        if isNew || isPrivate { try directory.grant(access, group) }
        return directory
      }
    } catch {
      throw .system(error, path: path)
    }
    throw .unsafeDirectory(path: path)
  }

  /// Whether the directory belongs to a trusted user and, once its mode is set, does not allow all users to
  /// rename its files. Any user could otherwise replace this socket with another one.
  private borrowing func isTrusted(isPrivate: Bool) throws(SystemCallError) -> Bool {
    var status = stat()
    guard fstat(descriptor.number, &status) == 0 else { throw SystemCallError("fstat") }
    if isPrivate { return status.st_uid == geteuid() }
    let isOpenToAll = status.st_mode & 0o002 != 0 && status.st_mode & S_ISVTX == 0
    return (status.st_uid == geteuid() || status.st_uid == 0) && !isOpenToAll
  }

  /// Sets the group, then the mode, because the mode's group bits must not apply to another group. The mode
  /// is set again since the umask may have removed bits.
  private borrowing func grant(_ access: SocketAccess, _ group: UInt32?) throws(SystemCallError) {
    if let group, fchown(descriptor.number, uid_t.max, group) != 0 { throw SystemCallError("fchown") }
    guard fchmod(descriptor.number, access.directoryMode) == 0 else { throw SystemCallError("fchmod") }
  }

  /// Creates the directory with the mode, and missing parents with mode 0700. Returns whether it was created.
  /// Never creates a directory in the root directory, because a path mistyped by root would leave one there.
  private static func make(_ path: String, mode: UInt32) throws(SystemCallError) -> Bool {
    if Self.path(ofSocket: path) == "/", path != "/" {
      guard access(path, F_OK) == 0 else { throw SystemCallError("mkdir", code: ENOENT) }
      return false
    }
    if mkdir(path, mode) == 0 { return true }
    switch errno {
    case EEXIST: return false
    case ENOENT:
      let above = Self.path(ofSocket: path)
      guard above != "/", above != "." else { throw SystemCallError("mkdir", code: ENOENT) }
      if try make(above, mode: 0o700), chmod(above, 0o700) != 0 { throw SystemCallError("chmod") }
      if mkdir(path, mode) == 0 { return true }
      guard errno == EEXIST else { throw SystemCallError("mkdir") }
      return false
    default: throw SystemCallError("mkdir")
    }
  }

  /// Returns the result of `body`, which runs under the directory's lock. The lock excludes the start or end
  /// of any other server with a socket in the directory.
  borrowing func locked<Result: ~Copyable>(
    _ body: () throws(ListenError) -> Result
  ) throws(ListenError) -> Result {
    var waited = 0.0
    while flock(descriptor.number, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else {
        throw .system(SystemCallError("flock"), path: path)
      }
      guard waited < Self.lockLimit else { throw .directoryLocked(path: path) }
      usleep(10_000)
      waited += 0.01
    }
    defer { flock(descriptor.number, LOCK_UN) }
    return try body()
  }
}

/// The default path of the control socket, the same for server and client.
package enum DefaultSocket {
  /// The path `$XDG_RUNTIME_DIR/continuo/socket`. If that variable is missing, as under cron, `/run/user/UID`
  /// replaces it if that directory belongs to the user. Otherwise the path is `/tmp/continuo-UID/socket`. The
  /// server creates the last directory or sets its mode, and refuses one that belongs to another user. Any
  /// thread; reads the file system.
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
