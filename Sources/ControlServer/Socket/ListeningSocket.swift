internal import ControlSocket
internal import Glibc

/// A socket that listens, with the file it is reached by.
///
/// The file has its mode from the moment it exists, whatever the umask: Linux gives a socket's file the mode that the
/// socket itself has when it is bound, and that was set before. What widens it (a group, a wider mode) comes after.
/// Of two servers that start at once exactly one gets the path: looking, removing a dead socket, and binding happen
/// under a lock of the directory.
package struct ListeningSocket: ~Copyable {
  /// Connections that may wait to be accepted. More than clients are allowed, so that each gets its answer.
  static let backlog: Int32 = 128
  /// What systemd passes first.
  static let firstActivated: Int32 = 3

  /// The path that clients connect to; empty if systemd passed a socket without one.
  package let path: String
  /// Who may connect.
  package let access: SocketAccess
  let descriptor: OwnedDescriptor
  /// The file, if it is ours to remove.
  let file: SocketFile?

  /// Gives the descriptor away, open.
  consuming func takeDescriptor() -> Int32 { descriptor.release() }

  private init(path: String, access: SocketAccess, descriptor: consuming OwnedDescriptor, file: SocketFile?) {
    self.path = path
    self.access = access
    self.descriptor = descriptor
    self.file = file
  }

  /// Binds `path`, relative ones to the working directory; a dead socket there is replaced, its directory is made.
  /// Blocks for file-system calls and at most 2 s for another server's start. Any thread.
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

  /// Removes the socket's file, unless another server's has taken its place or it was not made here. For an end that
  /// does not get to ``ControlServer/stop()``. Any thread; blocks for file-system calls, and at most 2 s for a server
  /// that is just starting.
  package var removal: @Sendable () -> Void {
    let file = file
    return { file?.removeIfOwn() }
  }

  /// The socket that systemd passed to this process (`LISTEN_PID`, `LISTEN_FDS`), the first if there are more; nil if
  /// it passed none. The variables are removed, so that no child takes them for its own. To be called once, before
  /// other threads read the environment.
  package static func activated() throws(ListenError) -> ListeningSocket? {
    let isOurs = getenv("LISTEN_PID").map { String(cString: $0) } == String(getpid())
    let count = getenv("LISTEN_FDS").flatMap { Int32(String(cString: $0)) } ?? 0
    for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) }
    guard isOurs, count > 0 else { return nil }
    return try activated(firstActivated)
  }

  /// Takes over a socket that listens already. Who may connect is what its file's mode says.
  static func activated(_ number: Int32) throws(ListenError) -> ListeningSocket {
    guard option(SO_DOMAIN, of: number) == AF_UNIX, option(SO_ACCEPTCONN, of: number) == 1,
      option(SO_TYPE, of: number) == Int32(SOCK_STREAM.rawValue), fcntl(number, F_SETFD, FD_CLOEXEC) == 0
    else { throw .unusableActivation }
    let path = UnixAddress.path(of: number) ?? ""
    var status = stat()
    let mode = lstat(path, &status) == 0 ? status.st_mode : 0
    return ListeningSocket(
      path: path, access: SocketAccess(mode: mode), descriptor: OwnedDescriptor(owning: number), file: nil)
  }

  private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
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

  /// Makes sure that nothing has the name: removes a dead socket.
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
    // EAGAIN: somebody listens and has more connections waiting than are accepted.
    case 0, EAGAIN: throw .alreadyRunning(path: path)
    case ECONNREFUSED:
      guard unlink(path) == 0 || errno == ENOENT else { throw .system(SystemCallError("unlink"), path: path) }
    case ENOENT: break
    default: throw .system(SystemCallError("connect"), path: path)
    }
  }

  /// Everything that is done to the file once the name is free.
  private static func bind(
    _ socket: borrowing OwnedDescriptor, _ path: String, _ access: SocketAccess, _ group: UInt32?
  ) throws(SystemCallError) -> SocketFile {
    guard fchmod(socket.number, 0o600) == 0 else { throw SystemCallError("fchmod") }
    let result = UnixAddress.with(path) { address, length in Glibc.bind(socket.number, address, length) }
    guard result == 0 else { throw SystemCallError("bind") }
    do throws(SystemCallError) {
      if let group, lchown(path, uid_t.max, group) != 0 { throw SystemCallError("lchown") }
      // Also where nothing was widened: a umask may have taken the owner's own bits.
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

/// The file of a bound socket, to be told from one that has taken its place.
struct SocketFile: Sendable, Equatable {
  private let path: String
  private let device: UInt64
  private let inode: UInt64
  /// Inodes are given again soon after a file is removed; this tells the next owner apart.
  private let made: [Int]

  init?(path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    self.path = path
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    made = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
  }

  /// Removes the file unless another server's has taken its place. Blocks for file-system calls, and at most 2 s for
  /// a server that is just starting.
  func removeIfOwn() {
    guard let directory = try? SocketDirectory(existing: SocketDirectory.path(ofSocket: path)) else { return }
    try? directory.locked { () throws(ListenError) in
      if SocketFile(path: path) == self { unlink(path) }
    }
  }
}
