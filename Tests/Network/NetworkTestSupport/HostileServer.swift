import CTestSupport
import Foundation
import Synchronization
import TestSupport

/// A server of HTTP on loopback that answers as the test says, right or wrong. Each connection has a thread.
package final class HostileServer: Sendable {
  /// A request that came in.
  package struct Request: Sendable {
    /// What was asked for, as it was sent.
    package var target: String
    /// The header fields, with names in lower case.
    package var fields: [String: String]
    /// The lines of the head as they were sent.
    package var lines: [String]
    /// The body, as many bytes as `Content-Length` tells.
    package var body: [UInt8]
    /// How many requests for this target there were, this one included.
    package var number: Int
    /// How many connections there were when it came.
    package var connection: Int
    /// Seconds since the server began.
    package var time: Double

    /// The first byte that it asks for; nil without `Range`.
    package var first: Int? {
      fields["range"].flatMap { Int($0.dropFirst("bytes=".count).split(separator: "-").first ?? "") }
    }
  }

  /// What is done for a request, in order.
  package enum Step: Sendable {
    /// Sends bytes.
    case send([UInt8])
    /// Sends bytes in pieces of a size, with a pause between them.
    case sendSlowly([UInt8], piece: Int, pause: Double)
    /// Sends the same bytes until the other end has gone.
    case sendForEver([UInt8])
    /// Does nothing for so many seconds.
    case wait(Double)
    /// Does this, on the connection's thread.
    case call(@Sendable () -> Void)
    /// Does nothing more, and keeps the connection.
    case hang
    /// Closes the connection.
    case close
    /// Closes it with a reset.
    case reset
  }

  private struct State {
    var requests: [Request] = []
    var connections = 0
    var open: Set<Int32> = []
    var isStopped = false
    var bytesSent = 0
    /// Connections of its own that fill the queue of those that nobody accepts; nil while it accepts.
    var fillers: [Int32]?
  }

  private let state = Mutex(State())
  private let acceptance = NSCondition()
  private let stalls = DispatchSemaphore(value: 0)
  private let listener: Int32
  private let began = Date()
  private let answer: @Sendable (Request) -> [Step]
  private let onClose: @Sendable () -> Void
  /// The port on 127.0.0.1.
  package let port: Int

  /// Begins to serve. `onClose` is called on a thread of the server whenever a connection has ended.
  package init(
    _ answer: @escaping @Sendable (Request) -> [Step], onClose: @escaping @Sendable () -> Void = {}
  ) throws {
    self.answer = answer
    self.onClose = onClose
    (listener, port) = try Self.listen()
    let descriptor = listener
    Thread.detachNewThread { [weak self] in
      // This thread alone closes the listener: another that did would have it accept at a socket that has got the number since.
      defer { close(descriptor) }
      while true {
        let accepted = continuo_test_accept(descriptor)
        guard accepted >= 0 else { return }
        self?.waitUntilItAccepts()
        guard let self else {
          close(accepted)
          return
        }
        self.take(accepted)
      }
    }
  }

  deinit { stop() }

  /// A socket that listens on a port of loopback.
  private static func listen() throws -> (descriptor: Int32, port: Int) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard LoopbackSocket.withAddress(0, { bind(descriptor, $0, $1) }) == 0,
      Glibc.listen(descriptor, 128) == 0, let port = LoopbackSocket.port(of: descriptor)
    else {
      let code = errno
      close(descriptor)
      throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO)
    }
    return (descriptor, port)
  }

  /// The URL of a path.
  package func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

  /// The requests so far.
  package var requests: [Request] {
    // A copy of its own: the thread sanitizer does not see that an array that grows is apart from those that share it.
    state.withLock { $0.requests.map { $0 } }
  }
  /// The connections so far.
  package var connections: Int { state.withLock { $0.connections } }
  /// Bytes that the other ends' sockets took.
  package var bytesSent: Int { state.withLock { $0.bytesSent } }

  /// Waits until the other end of a connection has taken nothing for a second; false after two minutes.
  package func waitUntilStalled() -> Bool { stalls.wait(timeout: .now() + 120) == .success }

  // MARK: Connections that are not made

  /// From now on no connection is made: the kernel drops each request for one, as a firewall does. What fills its queue
  /// counts among `connections`. `stop` must be called.
  package func stopAccepting() {
    state.withLock { $0.fillers = $0.fillers ?? [] }
    // The shortest queue there is. One connection is taken out of it by the thread that accepts.
    Glibc.listen(listener, 0)
    let fillers = (0..<4).map { _ in
      let descriptor = socket(
        AF_INET,
        Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
      _ = LoopbackSocket.withAddress(port) { connect(descriptor, $0, $1) }
      return descriptor
    }
    state.withLock { $0.fillers?.append(contentsOf: fillers) }
  }

  /// Connections are made again, from the next request for one on: the other end's kernel repeats them after 1, 3 and 7 s.
  package func goOnAccepting() {
    Glibc.listen(listener, 128)
    let fillers = state.withLock { state in
      defer { state.fillers = nil }
      return state.fillers ?? []
    }
    for descriptor in fillers { close(descriptor) }
    acceptance.withLock { acceptance.broadcast() }
  }

  private func waitUntilItAccepts() {
    acceptance.lock()
    defer { acceptance.unlock() }
    while state.withLock({ $0.fillers != nil }) { acceptance.wait() }
  }

  /// Closes everything. Idempotent.
  package func stop() {
    let isFirst = state.withLock { state in
      defer { state.isStopped = true }
      return !state.isStopped
    }
    guard isFirst else { return }
    goOnAccepting()
    // Each call of `accept` fails from now on, and the thread that accepts closes the listener.
    shutdown(listener, Int32(SHUT_RDWR))
    // Under the lock: a descriptor that is taken out may be closed, and its number be another's.
    state.withLock { state in
      for descriptor in state.open { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
  }

  private func take(_ descriptor: Int32) {
    let connection = state.withLock { state -> Int? in
      guard !state.isStopped else { return nil }
      state.open.insert(descriptor)
      state.connections += 1
      return state.connections
    }
    guard let connection else {
      close(descriptor)
      return
    }
    Thread.detachNewThread { [self] in
      var buffer: [UInt8] = []
      while let lines = Self.head(descriptor, &buffer) {
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
          let parts = line.split(separator: ":", maxSplits: 1)
          fields[parts[0].lowercased()] = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
        }
        guard let body = Self.body(Int(fields["content-length"] ?? "") ?? 0, descriptor, &buffer) else {
          break
        }
        let target = lines[0].split(separator: " ").dropFirst().first.map(String.init) ?? ""
        let request = state.withLock { state in
          let number = state.requests.count { $0.target == target } + 1
          let request = Request(
            target: target, fields: fields, lines: lines, body: body, number: number, connection: connection,
            time: Date().timeIntervalSince(began))
          state.requests.append(request)
          return request
        }
        guard answer(request).allSatisfy({ carryOut($0, descriptor) }) else { break }
      }
      _ = state.withLock { $0.open.remove(descriptor) }
      close(descriptor)
      onClose()
    }
  }

  /// False when the connection is to be closed.
  private func carryOut(_ step: Step, _ descriptor: Int32) -> Bool {
    switch step {
    case .send(let bytes): return send(bytes, descriptor)
    case .sendSlowly(let bytes, let piece, let pause):
      for start in stride(from: 0, to: bytes.count, by: piece) {
        guard send(Array(bytes[start..<min(start + piece, bytes.count)]), descriptor) else { return false }
        if pause > 0 { usleep(UInt32(pause * 1e6)) }
      }
      return true
    case .sendForEver(let bytes):
      while send(bytes, descriptor) {}
      return false
    case .wait(let seconds):
      usleep(UInt32(seconds * 1e6))
      return true
    case .call(let body):
      body()
      return true
    case .hang:
      // Until the other end, or this server, closes.
      var byte: UInt8 = 0
      while recv(descriptor, &byte, 1, 0) > 0 {}
      return false
    case .close: return false
    case .reset:
      var now = linger(l_onoff: 1, l_linger: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
      return false
    }
  }

  private func send(_ bytes: [UInt8], _ descriptor: Int32) -> Bool {
    var sent = 0
    while sent < bytes.count {
      var writable = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      if poll(&writable, 1, 1000) == 0 {
        stalls.signal()
        poll(&writable, 1, -1)
      }
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
      }
      if count < 0, errno == EAGAIN { continue }
      guard count > 0 else { return false }
      sent += count
      state.withLock { $0.bytesSent += count }
    }
    return true
  }

  /// So many bytes; nil if the connection ends before.
  private static func body(_ count: Int, _ descriptor: Int32, _ buffer: inout [UInt8]) -> [UInt8]? {
    while buffer.count < count {
      guard fill(&buffer, descriptor) else { return nil }
    }
    defer { buffer.removeFirst(count) }
    return Array(buffer.prefix(count))
  }

  /// Adds what comes next; false at the end of the connection.
  private static func fill(_ buffer: inout [UInt8], _ descriptor: Int32) -> Bool {
    var piece = [UInt8](repeating: 0, count: 64 * 1024)
    let count = recv(descriptor, &piece, piece.count, 0)
    guard count > 0 else { return false }
    buffer += piece[..<count]
    return true
  }

  /// The lines of the next request's head; nil at the end of the connection.
  private static func head(_ descriptor: Int32, _ buffer: inout [UInt8]) -> [String]? {
    let end = Array("\r\n\r\n".utf8)
    while true {
      if let range = Data(buffer).range(of: Data(end)) {
        let text = String(decoding: buffer[..<range.lowerBound], as: UTF8.self)
        buffer.removeSubrange(..<range.upperBound)
        return text.components(separatedBy: "\r\n")
      }
      guard fill(&buffer, descriptor) else { return nil }
    }
  }
}
