import AppLifecycle
import Clocks
import Dispatch
import Glibc

/// A non-blocking TCP socket of the application. Main thread.
@MainActor final class TCPSocket {
  /// An error of a system call.
  struct Problem: Error, CustomStringConvertible {
    private let code = errno
    var description: String { String(cString: strerror(code)) }
  }

  /// Called when a connection, data or the connection's end has arrived, when an error has occurred, and by
  /// `look`.
  var onReadable: (() -> Void)?
  private let descriptor: Int32
  private var source: DescriptorSource?

  /// The maximum number of connections that wait to be accepted.
  private static let backlog: Int32 = 16
  /// The maximum number of bytes received in one call.
  private static let piece = 4096

  private init(owning descriptor: Int32) throws {
    self.descriptor = descriptor
    source = DescriptorSource(descriptor: descriptor, queue: .main) { [weak self] in
      MainActor.assumeIsolated { self?.onReadable?() }
    }
    guard source != nil else {
      let problem = Problem()
      Glibc.close(descriptor)
      throw problem
    }
  }

  isolated deinit { close() }

  /// Creates a socket that listens on a port of loopback; 0 selects any free port.
  convenience init(listeningOn port: UInt16) throws {
    try self.init(port) { descriptor, address, length in
      // Connections from an earlier run must not block the port.
      var one: Int32 = 1
      setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
      return bind(descriptor, address, length) == 0 && listen(descriptor, Self.backlog) == 0
    }
  }

  /// Creates a socket and begins to connect it with a port of loopback. `receive` throws the error of a
  /// failed connection.
  convenience init(connectingTo port: UInt16) throws {
    try self.init(port) { connect($0, $1, $2) == 0 || errno == EINPROGRESS }
  }

  /// Creates a socket and calls `begin` with its descriptor and the address of `port` on loopback. If `begin`
  /// returns false, throws the error in `errno`.
  private convenience init(
    _ port: UInt16, _ begin: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Bool
  ) throws {
    let descriptor = socket(
      AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { throw Problem() }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let hasBegun = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        begin(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard hasBegun else {
      let problem = Problem()
      Glibc.close(descriptor)
      throw problem
    }
    try self.init(owning: descriptor)
  }

  /// Registers the socket with the device, which watches it while the application is suspended. Returns false
  /// if that is not possible, for example without the background mode `voip`.
  func watchForCalls() -> Bool { source != nil && VoIPSocket.register(descriptor) }

  /// Returns the next pending connection, accepted; nil if there is none.
  func accept() throws -> TCPSocket? {
    guard source != nil else { return nil }
    let accepted = Glibc.accept(descriptor, nil, nil)
    if accepted >= 0 {
      _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
      _ = fcntl(accepted, F_SETFL, O_NONBLOCK)
      return try TCPSocket(owning: accepted)
    }
    // A connection that ended before it was accepted is not an error of this socket.
    if [EAGAIN, EINTR, ECONNABORTED].contains(errno) { return nil }
    throw Problem()
  }

  /// Returns the received bytes: none at the end of the connection, and nil if no bytes have arrived.
  func receive() throws -> [UInt8]? {
    guard source != nil else { return nil }
    var bytes = [UInt8](repeating: 0, count: Self.piece)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    if count >= 0 { return Array(bytes.prefix(count)) }
    if [EAGAIN, EINTR].contains(errno) { return nil }
    throw Problem()
  }

  /// Sends bytes. Returns false if the kernel does not accept all of them immediately.
  @discardableResult func send(_ bytes: [UInt8]) -> Bool {
    source != nil && Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
  }

  /// Checks for data and errors without waiting for an event.
  func look() { onReadable?() }

  /// Closes the socket immediately. A listener's clients are refused from now on, also while the application
  /// is suspended.
  func close() {
    guard let source else { return }
    source.cancel()
    self.source = nil
    onReadable = nil
    shutdown(descriptor, Int32(SHUT_RDWR))
    Glibc.close(descriptor)
  }

  /// The local port of the socket.
  var port: UInt16 { address(getsockname).port }
  /// The address and port of the peer. Valid after the end of the connection only if this property was read before.
  private(set) lazy var peer = address(getpeername).text

  private func address(
    _ ask: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) -> (text: String, port: UInt16) {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { ask(descriptor, $0, &length) }
    }
    let host = withUnsafeBytes(of: &address.sin_addr) { $0.map { "\($0)" }.joined(separator: ".") }
    let port = UInt16(bigEndian: address.sin_port)
    return ("\(host):\(port)", port)
  }
}
