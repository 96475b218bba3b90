internal import Glibc
internal import NIOCore

/// The mode and the group of the socket's file, which determine who may connect.
package struct SocketAccess: Equatable, Sendable {
  /// The nine permission bits, always including reading and writing by the owner.
  package let mode: UInt32
  /// The name or number of the file's group; nil for the group of the process.
  package let group: String?

  /// Creates the access rules. Only the nine permission bits of `mode` count.
  package init(mode: UInt32, group: String? = nil) {
    self.mode = mode & 0o777 | 0o600
    self.group = group
  }

  package static let ownerOnly = SocketAccess(mode: 0o600)

  var isWidened: Bool { mode & 0o077 != 0 }

  /// The mode of the socket's directory: users who may connect may pass through it; only the owner may list
  /// or change it.
  var directoryMode: UInt32 { 0o700 | (mode & 0o070 != 0 ? 0o010 : 0) | (mode & 0o007 != 0 ? 0o001 : 0) }

  /// Whether `user` may be a client of a server that runs as `server`. With the default mode the file already
  /// excludes other users; this check also covers a later change of the mode, and an inherited connection.
  func admits(user: UInt32, server: UInt32) -> Bool { isWidened || user == server || user == 0 }
}

extension SocketOptionProvider {
  /// Returns the user id of the peer process, which the kernel recorded when the connection was made
  /// (`SO_PEERCRED`). If this method is called on the channel's loop, the future is complete when it returns.
  func peerUser() -> EventLoopFuture<UInt32> {
    // The fields of `struct ucred`, which glibc declares only with `_GNU_SOURCE`.
    let fields: EventLoopFuture<(process: Int32, user: UInt32, group: UInt32)> = unsafeGetSocketOption(
      level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED))
    return fields.map { $0.user }
  }
}

/// Returns the id of a group, given by name or number; nil for a name that no group has.
func groupNumber(_ name: String) -> UInt32? {
  if let number = UInt32(name) { return number }
  // The buffer is larger than the entry of any group used for a socket; a group with more members counts as
  // unknown.
  return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64 * 1024) { buffer in
    var entry = group()
    var found: UnsafeMutablePointer<group>?
    guard getgrnam_r(name, &entry, buffer.baseAddress, buffer.count, &found) == 0, found != nil else {
      return nil
    }
    return entry.gr_gid
  }
}
