package import ControlProtocol
internal import Glibc
internal import SystemSupport

/// A blocking connection to a server, without threads or an event loop. Every call may block. The timeout of
/// a call applies separately to each request sent and to the reply. For use by one thread at a time.
package struct MPDClient: ~Copyable {
  /// The maximum size of a reply, in bytes: eight times the server's limit on pending output per client.
  package static let largestReply = 64 * 1024 * 1024
  /// The default timeout in seconds for sending a request, and for its reply. Long enough to add a large
  /// directory.
  package static let patience = 30.0
  /// The maximum number of bytes of one `recv` call.
  private static let readSize = 64 * 1024

  private let socket: OwnedDescriptor
  private var parser = ReplyParser()
  private var chunk = [UInt8](repeating: 0, count: readSize)

  /// The minimum timeout for the reply to a password, in seconds. A server delays this reply after wrong
  /// passwords from the same address.
  private static let passwordPatience = 20.0

  /// Returns a connected client. Waits at most `timeout` seconds for the connection and the server's greeting.
  /// Then sends `password`, if any, with a timeout of at least 20 s. Throws `refused` if the password is
  /// wrong. The timeout does not interrupt the system resolver while it looks up a host name.
  package static func connected(
    to address: ServerAddress, password: Argument? = nil, timeout: Double = 5
  ) throws(ControlClientError) -> MPDClient {
    let deadline = Deadline(timeout)
    var client = MPDClient(socket: try connect(address, deadline))
    do throws(ControlClientError) {
      // The greeting.
      _ = try client.next(deadline)
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

  private init(socket: consuming OwnedDescriptor) { self.socket = socket }

  /// Sends a request and returns the elements of its reply without the final `OK`. Throws `refused` if the
  /// server refuses the request.
  package mutating func perform(
    _ request: Request, timeout: Double = patience
  ) throws(ControlClientError) -> [ReplyParser.Element] {
    try send(request, timeout: timeout)
    return try reply(timeout: timeout)
  }

  package mutating func send(_ request: Request, timeout: Double = patience) throws(ControlClientError) {
    var line: [UInt8] = []
    request.write(into: &line)
    try send(line, Deadline(timeout))
  }

  /// Returns the elements up to the next `OK`, which is left out. Throws `refused` if the reply is a refusal.
  /// A `timeout` of nil waits without limit, as `idle` needs.
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

  /// Returns the next element of a reply that has no end, as to `watch`. A `timeout` of nil waits without
  /// limit.
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
      let candidates: [HostAddress]
      do throws(HostAddress.LookupError) {
        candidates = try HostAddress.all(of: network.host, port: network.port)
      } catch {
        throw .noServer(at: address, reason: "\(error)")
      }
      return try connect(candidates, of: address, deadline)
    }
  }

  /// Connects to the first address that accepts: a name may have several, and the server may listen at only
  /// some of them. Each attempt may take the remaining time divided by the number of untried addresses.
  static func connect(
    _ candidates: [HostAddress], of address: ServerAddress, _ deadline: Deadline
  ) throws(ControlClientError) -> OwnedDescriptor {
    var failure: ControlClientError?
    for (index, candidate) in candidates.enumerated() {
      let share = Deadline(deadline.left / Double(candidates.count - index))
      do throws(ControlClientError) {
        let descriptor = try unconnectedSocket(candidate.family)
        let code = try candidate.withPointer { pointer, length throws(ControlClientError) in
          try connect(descriptor, to: pointer, length, share)
        }
        if code == 0 { return descriptor }
        // An address unreachable from this machine does not replace the error of an earlier address.
        if failure == nil || ![ENETUNREACH, EHOSTUNREACH, EADDRNOTAVAIL].contains(code) {
          failure = .noServer(at: address, reason: SystemCallError("connect", code: code).description)
        }
      } catch .timeout {
        failure = .timeout(seconds: deadline.seconds)
      } catch {
        failure = failure ?? error
      }
    }
    throw failure ?? .noServer(at: address, reason: "the name has no address")
  }

  /// Waits for the connection and returns the error code of a failure, or 0.
  private static func connect(
    _ descriptor: borrowing OwnedDescriptor, to address: UnsafePointer<sockaddr>, _ length: socklen_t,
    _ deadline: Deadline
  ) throws(ControlClientError) -> Int32 {
    if Glibc.connect(descriptor.number, address, length) == 0 { return 0 }
    guard errno == EINPROGRESS || errno == EINTR else { return errno }
    while try !wait(descriptor, for: POLLOUT, deadline) {}
    return SocketOption.value(SO_ERROR, of: descriptor.number) ?? errno
  }

  private static func connect(
    _ path: String, _ deadline: Deadline
  ) throws(ControlClientError) -> OwnedDescriptor {
    // A blocking `connect` waits for room in the server's backlog of pending connections, which `poll` cannot.
    let descriptor = try unconnectedSocket(AF_UNIX, 0)
    while true {
      var limit = deadline.interval
      let size = socklen_t(MemoryLayout<timeval>.size)
      guard setsockopt(descriptor.number, SOL_SOCKET, SO_SNDTIMEO, &limit, size) == 0 else {
        throw .system(SystemCallError("setsockopt"))
      }
      let result: Int32? = UnixAddress.with(path) { address, length in
        address.map { Glibc.connect(descriptor.number, $0, length) }
      }
      guard let result else { throw .noServer(at: .path(path), reason: "not a path for a socket") }
      if result == 0 { break }
      switch errno {
      case EINTR: continue
      case EAGAIN: guard !deadline.hasPassed else { throw .timeout(seconds: deadline.seconds) }
      case EACCES: throw .noPermission(at: .path(path))
      case let code:
        throw .noServer(at: .path(path), reason: SystemCallError("connect", code: code).description)
      }
    }
    guard fcntl(descriptor.number, F_SETFL, O_NONBLOCK) == 0 else { throw .system(SystemCallError("fcntl")) }
    return descriptor
  }

  private static func unconnectedSocket(
    _ family: Int32, _ flags: UInt32 = SOCK_NONBLOCK.rawValue
  ) throws(ControlClientError) -> OwnedDescriptor {
    do throws(SystemCallError) {
      return try OwnedDescriptor(
        Glibc.socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | flags), 0), from: "socket")
    } catch {
      throw .system(error)
    }
  }

  /// Waits for the event. Returns false if the wait ended before the event, so that the caller tries again.
  @discardableResult
  private static func wait(
    _ socket: borrowing OwnedDescriptor, for event: Int32, _ deadline: Deadline
  ) throws(ControlClientError) -> Bool {
    var entry = pollfd(fd: socket.number, events: Int16(event), revents: 0)
    let result = poll(&entry, 1, deadline.milliseconds)
    if result == 0, deadline.hasPassed { throw .timeout(seconds: deadline.seconds) }
    if result < 0, errno != EINTR { throw .system(SystemCallError("poll")) }
    return result > 0
  }
}

/// A time limit on the monotonic clock.
struct Deadline {
  /// The timeout in seconds; infinite without a limit.
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

  /// The remaining time in seconds.
  var left: Double { max(0, end - Self.now) }
  var hasPassed: Bool { left == 0 }
  /// The remaining time for `poll` in milliseconds, rounded up; -1 without a limit. At most one day, so
  /// callers wait again until the deadline has passed.
  var milliseconds: Int32 {
    end.isInfinite ? -1 : Int32((min(86_400, left) * 1000).rounded(.up))
  }
  /// The remaining time for `SO_SNDTIMEO`: at least 1 ms, or 0 without a limit.
  var interval: timeval {
    let milliseconds = Int(end.isInfinite ? 0 : max(1, self.milliseconds))
    return timeval(tv_sec: milliseconds / 1000, tv_usec: milliseconds % 1000 * 1000)
  }
}

extension MPDClient {
  /// The timeout in seconds for commands that the server answers from memory. It is long enough for a server
  /// that is busy or swapped out.
  package static let quickPatience = 5.0

  /// Sends a command and returns its reply. Throws a `ControlClientError`, such as `refused` if the server refuses
  /// the command. Throws a `RequestError` if the grammar cannot express an argument, such as a file name with a
  /// newline.
  @discardableResult
  package mutating func ask(
    _ name: String, _ arguments: [Argument] = [], timeout: Double = quickPatience
  ) throws -> ReplyFields {
    ReplyFields(try perform(Request(name, arguments), timeout: timeout))
  }

  /// Sends commands as one command list and returns the reply to each, then an empty one. If the server
  /// refuses a command, it does not execute the commands after it, and this method throws
  /// `ControlClientError.refused`.
  package mutating func ask(_ requests: [Request]) throws -> [ReplyFields] {
    try send(Request("command_list_ok_begin"), timeout: Self.quickPatience)
    for request in requests { try send(request, timeout: Self.quickPatience) }
    try send(Request("command_list_end"), timeout: Self.quickPatience)
    let elements = try reply(timeout: Self.quickPatience)
    return elements.split(separator: .listOK, omittingEmptySubsequences: false).map { ReplyFields($0) }
  }
}
