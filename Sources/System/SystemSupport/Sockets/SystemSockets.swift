import Glibc
import Synchronization

/// The registry of sockets that belong to the system and not to the application, such as those of players, of
/// the sound server's client and of the control socket. They stay open when a suspended application's sockets
/// are reclaimed.
///
/// A registration applies to the socket and not to its descriptor number. It ends when the socket is closed
/// and does not pass to a new socket with the same number. All methods are thread-safe and never block.
package enum SystemSockets {
  /// The inode of each registered descriptor; one entry per number limits the size of the table.
  private static let inodes = Mutex<[Int32: ino_t]>([:])

  /// Registers an open socket. Ignores a descriptor that is not a socket.
  package static func register(_ descriptor: Int32) {
    guard let inode = inode(descriptor) else { return }
    inodes.withLock { $0[descriptor] = inode }
  }

  /// Whether the descriptor refers to a registered socket, under the same number or another one.
  package static func contain(_ descriptor: Int32) -> Bool {
    guard let inode = inode(descriptor) else { return false }
    return inodes.withLock { $0.values.contains(inode) }
  }

  private static func inode(_ descriptor: Int32) -> ino_t? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
    return status.st_ino
  }
}
