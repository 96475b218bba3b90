import Glibc
import Synchronization

/// The sockets of this process that are the system's and not the application's: those of players, of the sound server, of
/// the control socket. They are left alone when the sockets of a suspended application are reclaimed.
///
/// A registration is one of a socket and not of its number: it ends with the socket, whoever closes that, and a number that
/// is given again is not registered by it. All methods: any thread; never block.
package enum SystemSockets {
  /// What the numbers stood for when they were registered, so that there are never more entries than numbers.
  private static let inodes = Mutex<[Int32: ino_t]>([:])

  /// Registers an open socket, before it is connected or listens. Nothing for a descriptor that is no socket.
  package static func register(_ descriptor: Int32) {
    guard let inode = inode(descriptor) else { return }
    inodes.withLock { $0[descriptor] = inode }
  }

  /// Whether this descriptor stands for a socket that was registered, under the same number or another one.
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
