package import SystemSupport

/// A reason why a listening socket could not be created.
package enum ListenError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A server listens at that path.
  case alreadyRunning(path: String)
  /// The path is empty, contains a zero byte, ends with a slash, or has more bytes than the system's `limit`.
  case invalidPath(String, limit: Int)
  case notASocket(path: String)
  /// The directory belongs to an untrusted user, or all users may change its contents.
  case unsafeDirectory(path: String)
  /// Another process has held the directory's lock for longer than a start takes.
  case directoryLocked(path: String)
  case noSuchGroup(String)
  /// systemd has passed several descriptors, or one that is not a listening Unix socket.
  case unusableActivation
  case notAnAddress(NetworkAddress)
  /// Another program uses that address.
  case addressInUse(NetworkAddress)
  case system(SystemCallError, path: String)

  package var description: String {
    switch self {
    case .alreadyRunning(let path): "already running: a server answers at \(path)"
    case .invalidPath(let path, let limit):
      path.utf8.count > limit
        ? "the socket's path is too long (\(path.utf8.count) bytes, at most \(limit)): \(path)"
        : "not a path for a socket: \"\(path)\""
    case .notASocket(let path): "not a socket, so it is left alone: \(path)"
    case .unsafeDirectory(let path): "the socket's directory belongs to others or is open to them: \(path)"
    case .directoryLocked(let path): "another process holds the lock of the socket's directory: \(path)"
    case .noSuchGroup(let name): "no such group: \(name)"
    case .unusableActivation: "LISTEN_FDS must pass exactly one socket, a listening Unix stream socket"
    case .notAnAddress(let address): "cannot listen at \(address): \(address.host) is not a numeric address"
    case .addressInUse(let address): "cannot listen at \(address): address already in use"
    case .system(let error, let path): "\(path): \(error)"
    }
  }
}
