import Glibc
import SystemSockets

/// The TCP sockets that this process has open.
///
/// `connect` with AF_UNSPEC makes a socket of Linux nearly what one is that iOS has reclaimed: it keeps its number, what was
/// not read is lost, the other end sees a reset, whoever waits for it in `recv`, `accept` or `epoll` wakes up, and from then
/// on it is not connected. `shutdown` would hand out what was not read, and `dup2` would leave the waiting threads asleep.
enum OpenSockets {
  /// Where the loop over numbers ends in a process that may have more of them.
  private static let mostNumbers = 65_536

  /// Reclaims all TCP sockets of the process but the system's, and says which were in use. Any thread; does not block on
  /// the network.
  static func reclaimAll() -> [ReclaimedSocket] { numbers().compactMap(reclaim) }

  /// Reclaims a socket. Nil if it is no TCP socket, if it is the system's, or if there was nothing to reclaim: it neither
  /// listens nor has a connection.
  static func reclaim(_ number: Int32) -> ReclaimedSocket? {
    // Another thread may close the number and get it again for something else. This is one socket throughout, unless the
    // process has no number left.
    let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
    defer { if copy >= 0 { close(copy) } }
    let descriptor = copy >= 0 ? copy : number
    guard let domain = option(SO_DOMAIN, of: descriptor), domain == AF_INET || domain == AF_INET6,
      option(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue),
      !SystemSockets.contain(descriptor),
      let use = use(of: descriptor)
    else { return nil }
    let reclaimed = ReclaimedSocket(address: name(of: descriptor, getsockname) ?? "?", use: use)
    var nobody = sockaddr()
    nobody.sa_family = sa_family_t(AF_UNSPEC)
    return connect(descriptor, &nobody, socklen_t(MemoryLayout<sockaddr>.size)) == 0
      ? reclaimed : nil
  }

  /// What a TCP socket does; nil if nothing.
  private static func use(of descriptor: Int32) -> ReclaimedSocket.Use? {
    // The first byte of TCP_INFO is the state. The numbers are those of the kernel's net/tcp_states.h.
    var state: UInt8 = 0
    var length: socklen_t = 1
    guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &state, &length) == 0 else {
      return nil
    }
    switch state {
    case 7: return nil
    case 10: return .listening
    case 2: return .connecting
    default: return name(of: descriptor, getpeername).map { .connected(to: $0) } ?? .connecting
    }
  }

  private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
  }

  /// An address and port in their usual notation.
  private static func name(
    of descriptor: Int32,
    _ ask: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) -> String? {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &address) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        guard ask(descriptor, generic, &length) == 0 else { return nil }
        // NI_MAXHOST and the longest port
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

  /// The numbers of the open descriptors: those that the kernel lists, or all that there can be.
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
