import Foundation

/// A client of a server that speaks MPD's protocol. One request at a time; what it needs for that is made once, so
/// that measuring costs little beside what is measured.
final class ControlConnection {
  /// A reply may have so many bytes: far more than any that is asked for here.
  static let replyLimit = 16 * 1024 * 1024

  private let socket: UnixSocket
  /// Where the reply is read to.
  private var buffer = [UInt8](repeating: 0, count: 64 * 1024)
  private var length = 0

  /// Connects and reads the greeting, 5 s at most.
  init(path: String) throws {
    socket = try UnixSocket(path: path)
    do {
      let greeting = try socket.read()
      guard greeting.hasPrefix("OK MPD ") else { throw BenchError("no greeting: \"\(greeting)\"") }
    } catch {
      socket.close()
      throw error
    }
  }

  deinit { socket.close() }

  var descriptor: Int32 { socket.descriptor }

  /// Sends a request, its newline included.
  func send(_ request: [UInt8]) throws {
    length = 0
    guard Glibc.send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
      throw BenchError("a request cannot be sent: \(String(cString: strerror(errno)))")
    }
  }

  /// Reads once, and waits for it if nothing is there. True when the reply is complete; a refusal is thrown.
  func receive() throws -> Bool {
    if length == buffer.count {
      guard length < Self.replyLimit else { throw BenchError("a reply does not end") }
      buffer += [UInt8](repeating: 0, count: length)
    }
    let count = buffer.withUnsafeMutableBytes { bytes in
      recv(descriptor, bytes.baseAddress.map { $0 + length }, bytes.count - length, 0)
    }
    guard count > 0 else {
      throw BenchError(count == 0 ? "the server closed the connection" : "no answer in time")
    }
    length += count
    return try isComplete()
  }

  /// Sends a request and reads the whole reply.
  func exchange(_ request: [UInt8]) throws {
    try send(request)
    while try !receive() {}
  }

  /// The reply to a line, without its last line.
  ///
  /// - Parameter seconds: how long the server may be silent.
  @discardableResult
  func ask(_ line: String, seconds: Int = 5) throws -> ControlReply {
    socket.limit(seconds: seconds)
    defer { socket.limit(seconds: 5) }
    try exchange(Array((line + "\n").utf8))
    return ControlReply(text: String(decoding: buffer[..<(length - 3)], as: UTF8.self))
  }

  /// Bytes that were thrown away.
  private(set) var discarded = 0

  /// Throws away what has arrived, without waiting.
  func discard() throws {
    while true {
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      guard count != 0 else { throw BenchError("the server closed the connection") }
      guard count > 0 else { return }
      discarded += count
    }
  }

  /// Whether the last line is there.
  private func isComplete() throws -> Bool {
    guard buffer[length - 1] == UInt8(ascii: "\n") else { return false }
    let start = buffer[..<(length - 1)].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    let line = buffer[start..<length]
    if line.starts(with: "ACK [".utf8) {
      throw BenchError(String(decoding: line.dropLast(), as: UTF8.self))
    }
    return line.elementsEqual("OK\n".utf8)
  }
}

/// The lines of a reply.
struct ControlReply {
  let text: String

  /// The value of the first line of that name.
  func value(_ name: String) -> String? {
    text.split(separator: "\n").first { $0.hasPrefix(name + ": ") }
      .map { String($0.dropFirst(name.count + 2)) }
  }
}
