package import ControlProtocol
package import ControlSocket
internal import Glibc

/// A connection to a control socket for a program that asks and waits: no thread, no event loop, ready in a tenth of a
/// millisecond. Every call may block, and no longer than its limit. One thread at a time.
package struct ControlClient: ~Copyable {
  /// Bytes in a whole reply: eight times what a server lets pile up for one client.
  package static let largestReply = 64 * 1024 * 1024
  /// Seconds to wait for a reply unless the caller says otherwise: longer than it takes to add a large directory.
  package static let patience = 30.0
  /// Bytes asked of the kernel at a time.
  private static let readSize = 64 * 1024

  private let socket: OwnedDescriptor
  private var parser = ReplyParser()
  private var chunk = [UInt8](repeating: 0, count: readSize)
  /// The protocol's version as the server greets, `0.23.5`.
  package private(set) var version = ""

  /// Seconds for the answer to a password: a server keeps it back after wrong ones from the same address.
  private static let passwordPatience = 20.0

  /// Connects and waits for the greeting, at most `timeout` seconds.
  /// With a `password` the server is told it at once; one that it does not know is a refusal. What the system's resolver
  /// takes to look up a host's name is not counted.
  package static func connected(
    to address: ServerAddress, password: Argument? = nil, timeout: Double = 5
  ) throws(ControlClientError) -> ControlClient {
    let deadline = Deadline(timeout)
    var client = ControlClient(socket: try connect(address, deadline))
    do throws(ControlClientError) {
      if case .greeting(let version) = try client.next(deadline) { client.version = version }
    } catch .disconnected {
      throw .turnedAway(by: address)
    }
    if let password {
      guard let request = try? Request("password", [password]) else {
        throw .refused(
          ReplyParser.Refusal(
            code: Ack.Code.password.rawValue, index: 0, command: "password", message: "not a password"))
      }
      _ = try client.perform(request, timeout: max(timeout, passwordPatience))
    }
    return client
  }

  /// The same for a Unix socket.
  package static func connected(
    to path: String, timeout: Double = 5
  ) throws(ControlClientError) -> ControlClient {
    try connected(to: .path(path), timeout: timeout)
  }

  private init(socket: consuming OwnedDescriptor) { self.socket = socket }

  /// Sends a request and collects what comes back, without the final `OK`. A refusal is thrown.
  package mutating func perform(
    _ request: Request, timeout: Double = patience
  ) throws(ControlClientError) -> [ReplyParser.Element] {
    try send(request, timeout: timeout)
    return try reply(timeout: timeout)
  }

  /// Sends a request.
  package mutating func send(_ request: Request, timeout: Double = patience) throws(ControlClientError) {
    var line: [UInt8] = []
    request.write(into: &line)
    try send(line, Deadline(timeout))
  }

  /// What comes up to the next `OK`, which is left out. A refusal is thrown. `timeout` nil waits for as long as it
  /// takes, as `idle` does.
  package mutating func reply(timeout: Double? = patience) throws(ControlClientError) -> [ReplyParser.Element]
  {
    let deadline = Deadline(timeout)
    var elements: [ReplyParser.Element] = []
    var size = 0
    while true {
      let element = try next(deadline)
      switch element {
      case .ok: return elements
      case .refused(let refusal): throw .refused(refusal)
      case .pair(let name, let value): size += name.utf8.count + value.bytes.count
      case .binary(let bytes): size += bytes.count
      case .greeting, .listOK: size += 1
      }
      guard size <= Self.largestReply else { throw .replyTooLarge }
      elements.append(element)
    }
  }

  /// The next thing that comes: for a watch, whose records have no end. `timeout` nil waits for as long as it takes.
  package mutating func next(timeout: Double?) throws(ControlClientError) -> ReplyParser.Element {
    try next(Deadline(timeout))
  }

  private mutating func next(_ deadline: Deadline) throws(ControlClientError) -> ReplyParser.Element {
    while true {
      do throws(ReplyParser.Failure) {
        if let element = try parser.next() { return element }
      } catch {
        throw .notAServer(error)
      }
      try receive(deadline)
    }
  }

  private mutating func receive(_ deadline: Deadline) throws(ControlClientError) {
    while true {
      let count = chunk.withUnsafeMutableBytes { recv(socket.number, $0.baseAddress, $0.count, 0) }
      if count > 0 { return parser.append(chunk[..<count]) }
      guard count < 0 else { throw .disconnected }
      switch errno {
      case EINTR: continue
      case EAGAIN: try Self.wait(socket, for: POLLIN, deadline)
      case ECONNRESET: throw .disconnected
      default: throw .system(SystemCallError("recv"))
      }
    }
  }

  private mutating func send(_ bytes: [UInt8], _ deadline: Deadline) throws(ControlClientError) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(socket.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count > 0 {
        sent += count
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN: try Self.wait(socket, for: POLLOUT, deadline)
      case EPIPE, ECONNRESET: throw .disconnected
      default: throw .system(SystemCallError("send"))
      }
    }
  }

  private static func connect(
    _ address: ServerAddress, _ deadline: Deadline
  ) throws(ControlClientError) -> OwnedDescriptor {
    switch address {
    case .path(let path): return try connect(path, deadline)
    case .network(let network):
      let candidates: [SocketAddress]
      do throws(SocketAddress.LookupError) {
        candidates = try SocketAddress.all(of: network)
      } catch {
        throw .noServer(at: address, reason: "\(error)")
      }
      var reason = "the name has no address"
      // A name may have several, not all of which somebody listens at.
      for candidate in candidates {
        let descriptor = try unconnectedSocket(candidate.family)
        let code = try candidate.withPointer { pointer, length throws(ControlClientError) in
          try connect(descriptor, to: pointer, length, deadline)
        }
        if code == 0 { return descriptor }
        reason = SystemCallError("connect", code: code).description
      }
      throw .noServer(at: address, reason: reason)
    }
  }

  /// Waits for the connection; the system's number of why there is none, or 0.
  private static func connect(
    _ descriptor: borrowing OwnedDescriptor, to address: UnsafePointer<sockaddr>, _ length: socklen_t,
    _ deadline: Deadline
  ) throws(ControlClientError) -> Int32 {
    if Glibc.connect(descriptor.number, address, length) == 0 { return 0 }
    guard errno == EINPROGRESS || errno == EINTR else { return errno }
    while true {
      var entry = pollfd(fd: descriptor.number, events: Int16(POLLOUT), revents: 0)
      let result = poll(&entry, 1, deadline.milliseconds)
      if result > 0 { break }
      if result == 0, deadline.hasPassed { throw .timeout(seconds: deadline.seconds) }
      if result < 0, errno != EINTR { throw .system(SystemCallError("poll")) }
    }
    var code: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor.number, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else { return errno }
    return code
  }

  private static func connect(
    _ path: String, _ deadline: Deadline
  ) throws(ControlClientError) -> OwnedDescriptor {
    let descriptor = try unconnectedSocket(AF_UNIX)
    while true {
      let result: Int32? = UnixAddress.with(path) { address, length in
        address.map { Glibc.connect(descriptor.number, $0, length) }
      }
      guard let result else { throw .noServer(at: .path(path), reason: "not a path for a socket") }
      if result == 0 { return descriptor }
      switch errno {
      case EINTR: continue
      case EAGAIN:
        // More are waiting to be accepted than the server lets in line. There is nothing to poll for.
        guard !deadline.hasPassed else { throw .timeout(seconds: deadline.seconds) }
        usleep(10_000)
      case let code:
        throw .noServer(at: .path(path), reason: SystemCallError("connect", code: code).description)
      }
    }
  }

  private static func unconnectedSocket(_ family: Int32) throws(ControlClientError) -> OwnedDescriptor {
    do throws(SystemCallError) {
      return try OwnedDescriptor(
        Glibc.socket(
          family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0),
        from: "socket")
    } catch {
      throw .system(error)
    }
  }

  private static func wait(
    _ socket: borrowing OwnedDescriptor, for event: Int32, _ deadline: Deadline
  ) throws(ControlClientError) {
    var entry = pollfd(fd: socket.number, events: Int16(event), revents: 0)
    let result = poll(&entry, 1, deadline.milliseconds)
    if result == 0, deadline.hasPassed { throw .timeout(seconds: deadline.seconds) }
    if result < 0, errno != EINTR { throw .system(SystemCallError("poll")) }
  }
}

/// A point in time up to which to wait.
private struct Deadline {
  /// What was allowed at the start; infinite without a limit.
  let seconds: Double
  private let end: Double

  init(_ seconds: Double?) {
    self.seconds = seconds ?? .infinity
    end = Self.now + self.seconds
  }

  private static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  var hasPassed: Bool { Self.now >= end }
  /// What `poll` takes, rounded up: -1 for ever. A wait of more than a day is cut; whoever waits asks again.
  var milliseconds: Int32 {
    end.isInfinite ? -1 : Int32((max(0, min(86_400, end - Self.now)) * 1000).rounded(.up))
  }
}
