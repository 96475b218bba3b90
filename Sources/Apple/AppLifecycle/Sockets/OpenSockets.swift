import Glibc
import SystemSupport

/// The open TCP sockets of this process, and of an application that has passed them to its phone.
///
/// On Linux, `connect` with AF_UNSPEC leaves a socket much like one that iOS has reclaimed. The socket keeps
/// its descriptor number, unread data is lost, and the peer sees a reset. Threads waiting in `recv`, `accept`
/// or `epoll` wake up, and the socket is then not connected. `shutdown` would deliver unread data, and `dup2`
/// would leave waiting threads asleep.
package enum OpenSockets {
  /// The maximum number of descriptors to check without /proc, even if the process's limit is higher.
  private static let mostNumbers = 65_536

  /// Reclaims the process's TCP sockets that are in use, except those in `SystemSockets`, and returns their
  /// descriptions. Any thread; does not block on the network.
  static func reclaimAll() -> [ReclaimedSocket] { numbers().compactMap(reclaim) }

  /// Returns the TCP sockets of the process that are in use, except those in `SystemSockets`.
  static func reclaimable() -> [Int32] { numbers().filter { isReclaimable($0) && use(of: $0) != nil } }

  private static func isReclaimable(_ descriptor: Int32) -> Bool {
    guard let domain = SocketOption.value(SO_DOMAIN, of: descriptor), domain == AF_INET || domain == AF_INET6
    else {
      return false
    }
    return SocketOption.value(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue)
      && !SystemSockets.contain(descriptor)
  }

  /// Reclaims a socket and returns its description. Returns nil for a socket in `SystemSockets`, for an idle
  /// socket, for anything but a TCP socket, and on failure.
  package static func reclaim(_ number: Int32) -> ReclaimedSocket? {
    // Another thread may close the descriptor and reuse its number. The duplicate refers to the same socket
    // throughout. The original is used only if the process has no descriptor left.
    let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
    defer { if copy >= 0 { close(copy) } }
    let descriptor = copy >= 0 ? copy : number
    guard isReclaimable(descriptor), let use = use(of: descriptor) else { return nil }
    let reclaimed = ReclaimedSocket(address: name(of: descriptor, getsockname) ?? "?", use: use)
    var nobody = sockaddr()
    nobody.sa_family = sa_family_t(AF_UNSPEC)
    return connect(descriptor, &nobody, socklen_t(MemoryLayout<sockaddr>.size)) == 0 ? reclaimed : nil
  }

  private static func use(of descriptor: Int32) -> ReclaimedSocket.Use? {
    // The first byte of TCP_INFO is the state, with the values of the kernel's net/tcp_states.h: 2 is
    // SYN_SENT, 7 CLOSE and 10 LISTEN.
    var state: UInt8 = 0
    var length: socklen_t = 1
    guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &state, &length) == 0 else { return nil }
    switch state {
    case 7: return nil
    case 10: return .listening
    case 2: return .connecting
    default: return name(of: descriptor, getpeername).map { .connected(to: $0) } ?? .connecting
    }
  }

  private static func name(
    of descriptor: Int32,
    _ ask: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) -> String? {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &address) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        guard ask(descriptor, generic, &length) == 0 else { return nil }
        // The sizes are NI_MAXHOST and five digits of a port with their terminating zero.
        var host = [CChar](repeating: 0, count: 1025)
        var port = [CChar](repeating: 0, count: 6)
        guard
          getnameinfo(
            generic, length, &host, socklen_t(host.count), &port, socklen_t(port.count),
            NI_NUMERICHOST | NI_NUMERICSERV) == 0
        else { return nil }
        let (hostText, portText) = (text(host), text(port))
        return hostText.contains(":") ? "[\(hostText)]:\(portText)" : "\(hostText):\(portText)"
      }
    }
  }

  private static func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Returns the open descriptor numbers, as listed by the kernel; without /proc the possible numbers below
  /// `mostNumbers`.
  private static func numbers() -> [Int32] {
    guard let folder = opendir("/proc/self/fd") else {
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      return Array(0..<Int32(min(UInt64(limit.rlim_cur), UInt64(mostNumbers))))
    }
    defer { closedir(folder) }
    var numbers: [Int32] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { $0.prefix { $0 != 0 }.map { $0 } }
      if let number = Int32(String(decoding: name, as: UTF8.self)), number != dirfd(folder) {
        numbers.append(number)
      }
    }
    return numbers.sorted()
  }
}

/// A TCP socket reclaimed from a suspended application.
public struct ReclaimedSocket: Hashable, Sendable, CustomStringConvertible {
  /// The use of a socket before it was reclaimed.
  public enum Use: Hashable, Sendable {
    /// A listening socket that accepts connections.
    case listening
    /// A connection to this address and port, including one that the peer has already closed.
    case connected(to: String)
    /// A connection attempt in progress.
    case connecting
  }

  /// The local address and port, `127.0.0.1:8000` or `[::1]:8000`; `?` if unknown.
  public var address: String
  /// The use of the socket before it was reclaimed.
  public var use: Use

  /// Creates a description of a reclaimed socket.
  public init(address: String, use: Use) {
    self.address = address
    self.use = use
  }

  /// The addresses and the use: `127.0.0.1:80 listening`, `10.0.0.2:512 → 10.0.0.1:80` or
  /// `10.0.0.2:512 connecting`.
  public var description: String {
    switch use {
    case .listening: "\(address) listening"
    case .connected(let peer): "\(address) → \(peer)"
    case .connecting: "\(address) connecting"
    }
  }
}
