internal import Glibc
internal import NIOCore

/// Who may connect: the mode and the group of the socket's file.
package struct SocketAccess: Equatable, Sendable {
  /// The nine permission bits. The owner's reading and writing are always among them.
  package let mode: UInt32
  /// The group's name or number; nil leaves the process's own.
  package let group: String?

  /// Of `mode` only the nine permission bits count.
  package init(mode: UInt32, group: String? = nil) {
    self.mode = mode & 0o777 | 0o600
    self.group = group
  }

  /// The user alone: mode 0600.
  package static let ownerOnly = SocketAccess(mode: 0o600)

  /// Whether somebody else than the owner may connect.
  package var isWidened: Bool { mode & 0o077 != 0 }

  /// A directory lets those pass who may connect, and lets nobody else list or change it.
  var directoryMode: UInt32 {
    0o700 | (mode & 0o070 != 0 ? 0o010 : 0) | (mode & 0o007 != 0 ? 0o001 : 0)
  }

  /// Whether `user` may be a client of a server that runs as `server`. Where the mode was not widened, the file's mode
  /// already keeps others out; this still holds when somebody changes that mode, or inherited the connection.
  func admits(user: UInt32, server: UInt32) -> Bool { isWidened || user == server || user == 0 }
}

/// Who is at the other end, as the kernel saw it when the connection was made.
package struct PeerCredentials: Equatable, Sendable {
  /// The effective user id.
  package let user: UInt32
  /// The effective group id.
  package let group: UInt32
  /// The process; 0 if it is in a namespace that this one cannot see.
  package let process: Int32

  /// `struct ucred`, which glibc shows to GNU programs only.
  private typealias Fields = (process: Int32, user: UInt32, group: UInt32)

  init(process: Int32, user: UInt32, group: UInt32) {
    self.process = process
    self.user = user
    self.group = group
  }

  /// Reads `SO_PEERCRED`. Fulfilled at once when called on the channel's loop.
  static func read(from socket: any SocketOptionProvider) -> EventLoopFuture<PeerCredentials> {
    let fields: EventLoopFuture<Fields> = socket.unsafeGetSocketOption(
      level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED))
    return fields.map { PeerCredentials(process: $0.process, user: $0.user, group: $0.group) }
  }
}

/// Looks up a group's number.
func groupNumber(_ name: String) -> UInt32? {
  if let number = UInt32(name) { return number }
  // Larger than any group's line in /etc/group that a socket is given to; more members than fit is "no such group".
  return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64 * 1024) { buffer in
    var entry = group()
    var found: UnsafeMutablePointer<group>?
    guard getgrnam_r(name, &entry, buffer.baseAddress, buffer.count, &found) == 0, found != nil else {
      return nil
    }
    return entry.gr_gid
  }
}
