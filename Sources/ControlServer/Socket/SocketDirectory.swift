internal import ControlSocket
internal import Glibc

/// The directory of a socket, open, so that its name may change without harm.
struct SocketDirectory: ~Copyable {
  let path: String
  private let descriptor: OwnedDescriptor

  /// How long a start may hold the lock of its directory. It takes a millisecond; two seconds pass on a machine
  /// that hardly moves.
  static let lockLimit = 2.0

  /// The directory part of a socket's path.
  static func path(ofSocket socketPath: String) -> String {
    let parts = socketPath.split(separator: "/", omittingEmptySubsequences: true).dropLast()
    let path = (socketPath.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
    return path.isEmpty ? "." : path
  }

  /// Opens the directory that is there.
  init(existing path: String, followsLink: Bool = true) throws(SystemCallError) {
    self.path = path
    descriptor = try OwnedDescriptor(
      open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (followsLink ? 0 : O_NOFOLLOW)), from: "open")
  }

  /// Opens the directory of `socketPath`, and makes it, with those above it, if it is missing. A directory that was
  /// made for the socket gets its mode anew at each start (`isPrivate`); any other stays as it is.
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

  /// Where others can rename what is in the directory, they can put a socket of their own in our socket's place.
  private borrowing func isTrusted(isPrivate: Bool) throws(SystemCallError) -> Bool {
    var status = stat()
    guard fstat(descriptor.number, &status) == 0 else { throw SystemCallError("fstat") }
    if isPrivate { return status.st_uid == geteuid() }
    let isOpenToAll = status.st_mode & 0o002 != 0 && status.st_mode & S_ISVTX == 0
    return (status.st_uid == geteuid() || status.st_uid == 0) && !isOpenToAll
  }

  /// The umask may have taken bits away; and the group has to be there before it gets any.
  private borrowing func grant(_ access: SocketAccess, _ group: UInt32?) throws(SystemCallError) {
    if let group, fchown(descriptor.number, uid_t.max, group) != 0 { throw SystemCallError("fchown") }
    guard fchmod(descriptor.number, access.directoryMode) == 0 else { throw SystemCallError("fchmod") }
  }

  /// Makes the directory with the mode, and those above it with 0700. True if it was not there.
  private static func make(_ path: String, mode: UInt32) throws(SystemCallError) -> Bool {
    if mkdir(path, mode) == 0 { return true }
    switch errno {
    case EEXIST: return false
    case ENOENT:
      let parts = path.split(separator: "/", omittingEmptySubsequences: true)
      guard parts.count > 1 else { throw SystemCallError("mkdir", code: ENOENT) }
      let above = (path.hasPrefix("/") ? "/" : "") + parts.dropLast().joined(separator: "/")
      if try make(above, mode: 0o700), chmod(above, 0o700) != 0 { throw SystemCallError("chmod") }
      if mkdir(path, mode) == 0 { return true }
      guard errno == EEXIST else { throw SystemCallError("mkdir") }
      return false
    default: throw SystemCallError("mkdir")
    }
  }

  /// Runs `body` while no other start or end of a server is at work in this directory.
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
