import CTestSupport
package import Foundation
import Synchronization

/// A TCP socket on loopback. Its calls throw a `POSIXError`, and wait at most 120 s for the other end.
package final class LoopbackSocket: Sendable {
  /// Its number, open as long as this object is there.
  package let descriptor: Int32

  private init(_ descriptor: Int32) throws {
    guard descriptor >= 0 else { throw Self.error() }
    self.descriptor = descriptor
    var limit = timeval(tv_sec: 120, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
  }

  deinit { close(descriptor) }

  /// One that is neither connected nor bound.
  package convenience init(isIPv6: Bool = false) throws {
    try self.init(
      socket(isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0))
  }

  /// One that listens; port 0 stands for any that is free.
  package static func listening(on port: Int = 0, isIPv6: Bool = false) throws -> LoopbackSocket {
    let socket = try LoopbackSocket(isIPv6: isIPv6)
    try check(withAddress(port, isIPv6: isIPv6) { bind(socket.descriptor, $0, $1) })
    try check(Glibc.listen(socket.descriptor, 16))
    return socket
  }

  /// One that is connected to a port.
  package static func connected(to port: Int, isIPv6: Bool = false) throws -> LoopbackSocket {
    let socket = try LoopbackSocket(isIPv6: isIPv6)
    try check(withAddress(port, isIPv6: isIPv6) { connect(socket.descriptor, $0, $1) })
    return socket
  }

  private static let lastFreePort = Atomic(UInt16(getpid() % 8_000) + 20_000)

  /// A port that nobody listens on, none twice: below those that the system chooses (from 32768 on), or another test's
  /// server would get it in the meantime.
  package static func freePort() throws -> Int {
    while true {
      let port = Int(lastFreePort.wrappingAdd(1, ordering: .relaxed).newValue)
      guard port < 32_768 else { throw POSIXError(.EADDRNOTAVAIL) }
      do {
        _ = try listening(on: port)
        return port
      } catch let error as POSIXError where error.code == .EADDRINUSE {}
    }
  }

  /// Both ends of a connection.
  package static func pair(isIPv6: Bool = false) throws -> (near: LoopbackSocket, far: LoopbackSocket) {
    let listener = try listening(isIPv6: isIPv6)
    let near = try connected(to: listener.port, isIPv6: isIPv6)
    return (near, try listener.accept())
  }

  /// The connection that was made first of those that wait.
  package func accept() throws -> LoopbackSocket { try LoopbackSocket(continuo_test_accept(descriptor)) }

  /// The descriptors of this process whose own port, or that of the other end, is this one.
  package static func descriptors(at port: Int, isOtherEnd: Bool = false) -> [Int32] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return names.compactMap { Int32($0) }.filter {
      Self.port(of: $0, isOtherEnd ? getpeername : getsockname) == port
    }
  }

  /// Its own port.
  package var port: Int { Self.port(of: descriptor) ?? 0 }

  /// Returns the own port of a descriptor, or that of the other end with `getpeername`.
  package static func port(
    of descriptor: Int32,
    _ ask: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32 = getsockname
  ) -> Int? {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &address) { pointer in
      let result = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { ask(descriptor, $0, &length) }
      guard result == 0, [AF_INET, AF_INET6].contains(Int32(pointer.pointee.ss_family)) else { return nil }
      // Where both families have it.
      return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
        Int(UInt16(bigEndian: $0.pointee.sin_port))
      }
    }
  }

  /// The bytes that come next, at most so many; none when the other end has closed.
  package func receive(_ count: Int = 4096) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let received = recv(descriptor, &bytes, count, 0)
    try Self.check(received)
    return Array(bytes.prefix(received))
  }

  /// The bytes up to the next end of a line, as text without it.
  package func receiveLine() throws -> String {
    var bytes: [UInt8] = []
    while let byte = try receive(1).first, byte != 0x0A { bytes.append(byte) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Sends bytes; returns how many the kernel took.
  @discardableResult package func send(_ bytes: [UInt8]) throws -> Int {
    let sent = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    try Self.check(sent)
    return sent
  }

  /// Sends a text.
  package func send(_ text: String) throws { try send(Array(text.utf8)) }

  /// What SO_ERROR says, which then is 0 again.
  package var pendingError: Int32 {
    var code: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
    return code
  }

  private static func check(_ result: Int) throws { if result < 0 { throw error() } }
  private static func check(_ result: Int32) throws { try check(Int(result)) }
  private static func error() -> POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }

  /// Calls `body` with the address of a port of loopback.
  package static func withAddress(
    _ port: Int, isIPv6: Bool = false, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    func call<Address>(_ address: Address) -> Int32 {
      withUnsafePointer(to: address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          body($0, socklen_t(MemoryLayout<Address>.size))
        }
      }
    }
    if isIPv6 {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = in_port_t(port).bigEndian
      address.sin6_addr = in6addr_loopback
      return call(address)
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return call(address)
  }
}
