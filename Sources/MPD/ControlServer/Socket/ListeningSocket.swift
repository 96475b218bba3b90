internal import Glibc
internal import SystemSupport

/// A listening socket and its file.
///
/// The file is closed to other users from its creation, regardless of the umask. For this, `fchmod` sets the
/// mode 0600 of the unbound socket, which Linux gives to the file at `bind`, without the umask's bits. The
/// group and the final mode are applied after `bind`.
///
/// If two servers start at the same time, at most one gets the path. For this, the probe, the removal of a
/// stale socket and `bind` run under a lock of the directory.
package struct ListeningSocket: ~Copyable {
  /// The maximum number of connections waiting to be accepted. Above the maximum number of clients, so that
  /// each is accepted and answered.
  static let backlog: Int32 = 128
  /// The first descriptor that systemd passes, and the only one that is served.
  static let firstActivated: Int32 = 3

  /// The path of the socket; empty if systemd passed a socket without one.
  package let path: String
  /// The mode and group that determine who may connect.
  package let access: SocketAccess
  let descriptor: OwnedDescriptor
  /// The file that this process must remove; nil if there is none.
  let file: SocketFile?

  /// Returns the open descriptor; the caller must close it.
  consuming func takeDescriptor() -> Int32 { descriptor.release() }

  /// Returns a socket bound to `path`, which may be relative to the working directory. A stale socket at the
  /// path is replaced and a missing directory is created. Blocks for file system calls and at most 2 s for
  /// another server's start. Any thread.
  package static func bound(
    to path: String, access: SocketAccess = .ownerOnly
  ) throws(ListenError) -> ListeningSocket {
    let isValid = UnixAddress.with(path) { address, _ in address != nil }
    guard isValid, !path.hasSuffix("/") else { throw .invalidPath(path, limit: UnixAddress.longestPath) }
    var group: UInt32?
    if let name = access.group {
      guard let number = groupNumber(name) else { throw .noSuchGroup(name) }
      group = number
    }
    let directory = try SocketDirectory.prepare(
      forSocket: path, access: access, group: group, isPrivate: path == DefaultSocket.path)
    let socket = try unboundSocket(path)
    let file = try directory.locked { () throws(ListenError) in
      try clear(path)
      do throws(SystemCallError) {
        return try bind(socket, path, access, group)
      } catch {
        throw .system(error, path: path)
      }
    }
    return ListeningSocket(path: path, access: access, descriptor: socket, file: file)
  }

  /// A closure that removes the socket's file, unless another server's file has replaced it or this process
  /// did not create it. For exits without ``MPDServer/stop()``. The closure may be called on any thread.
  /// It blocks for file system calls, and for at most 2 s while another server starts.
  package var removal: @Sendable () -> Void {
    let file = file
    return { file?.removeIfOwn() }
  }

  /// Returns the socket that systemd passed to this process (`LISTEN_PID`, `LISTEN_FDS`); nil if
  /// there is none. Throws for several, because clients of the others would wait for ever. Removes the variables,
  /// so that no child process uses them. Call it once, before other threads read the environment.
  package static func activated() throws(ListenError) -> ListeningSocket? {
    let isOurs = getenv("LISTEN_PID").map { String(cString: $0) } == String(getpid())
    let count = getenv("LISTEN_FDS").flatMap { Int32(String(cString: $0)) } ?? 0
    for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) }
    guard isOurs, count > 0 else { return nil }
    guard count == 1 else { throw .unusableActivation }
    return try activated(firstActivated)
  }

  /// Returns the listening socket with the descriptor `number`. The mode of the socket's file determines who
  /// may connect.
  static func activated(_ number: Int32) throws(ListenError) -> ListeningSocket {
    guard SocketOption.value(SO_DOMAIN, of: number) == AF_UNIX,
      SocketOption.value(SO_ACCEPTCONN, of: number) == 1,
      SocketOption.value(SO_TYPE, of: number) == Int32(SOCK_STREAM.rawValue),
      fcntl(number, F_SETFD, FD_CLOEXEC) == 0
    else { throw .unusableActivation }
    let path = UnixAddress.path(of: number) ?? ""
    var status = stat()
    let mode = lstat(path, &status) == 0 ? status.st_mode : 0
    return ListeningSocket(
      path: path, access: SocketAccess(mode: mode), descriptor: OwnedDescriptor(owning: number), file: nil)
  }

  private static func unboundSocket(_ path: String) throws(ListenError) -> OwnedDescriptor {
    do throws(SystemCallError) {
      return try OwnedDescriptor(
        socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0),
        from: "socket")
    } catch {
      throw .system(error, path: path)
    }
  }

  /// Removes a stale socket from the path. Throws if the path is in use.
  private static func clear(_ path: String) throws(ListenError) {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      guard errno == ENOENT else { throw .system(SystemCallError("lstat"), path: path) }
      return
    }
    guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path: path) }
    let probe = try unboundSocket(path)
    let result = UnixAddress.with(path) { address, length in connect(probe.number, address, length) }
    switch result == 0 ? 0 : errno {
    // EAGAIN: a server listens, and its queue of connections is full.
    case 0, EAGAIN: throw .alreadyRunning(path: path)
    case ECONNREFUSED:
      guard unlink(path) == 0 || errno == ENOENT else { throw .system(SystemCallError("unlink"), path: path) }
    case ENOENT: break
    default: throw .system(SystemCallError("connect"), path: path)
    }
  }

  private static func bind(
    _ socket: borrowing OwnedDescriptor, _ path: String, _ access: SocketAccess, _ group: UInt32?
  ) throws(SystemCallError) -> SocketFile {
    guard fchmod(socket.number, 0o600) == 0 else { throw SystemCallError("fchmod") }
    let result = UnixAddress.with(path) { address, length in Glibc.bind(socket.number, address, length) }
    guard result == 0 else { throw SystemCallError("bind") }
    do throws(SystemCallError) {
      if let group, lchown(path, uid_t.max, group) != 0 { throw SystemCallError("lchown") }
      // Necessary even for the default mode, because the umask may have removed the owner's bits.
      guard chmod(path, access.mode) == 0 else { throw SystemCallError("chmod") }
      guard listen(socket.number, backlog) == 0 else { throw SystemCallError("listen") }
      guard let file = SocketFile(path: path) else { throw SystemCallError("lstat") }
      return file
    } catch {
      unlink(path)
      throw error
    }
  }
}

/// The file of a bound socket, with its identity to distinguish it from a replacement.
struct SocketFile: Sendable, Equatable {
  private let path: String
  private let device: UInt64
  private let inode: UInt64
  /// The modification time, because inode numbers are reused soon after a file is removed.
  private let made: [Int]

  init?(path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    self.path = path
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    made = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
  }

  /// Removes the file unless another server's file has replaced it. Blocks for file system calls, and at most
  /// 2 s for a starting server.
  func removeIfOwn() {
    guard let directory = try? SocketDirectory(existing: SocketDirectory.path(ofSocket: path)) else { return }
    try? directory.locked { () throws(ListenError) in
      if SocketFile(path: path) == self { unlink(path) }
    }
  }
}
