import Foundation

/// A client connection to a server that speaks MPD's protocol, with one request at a time. Its buffer is
/// allocated once, so that the measurement itself costs little.
final class ControlConnection {
  /// The maximum size of a reply in bytes: far more than any reply requested here.
  static let replyLimit = 16 * 1024 * 1024

  private let socket: UnixSocket
  /// The buffer for the reply.
  private var buffer = [UInt8](repeating: 0, count: 64 * 1024)
  private var length = 0

  /// Connects and reads the greeting, with a timeout of 5 s.
  init(path: String) throws {
    socket = try UnixSocket(path: path)
    _ = try receive()
    guard buffer.starts(with: "OK MPD ".utf8) else { throw BenchError("no greeting of MPD's") }
  }

  deinit { socket.close() }

  var descriptor: Int32 { socket.descriptor }

  /// Sends a request, which includes its newline.
  func send(_ request: [UInt8]) throws {
    length = 0
    guard Glibc.send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
      throw BenchError("a request cannot be sent: \(String(cString: strerror(errno)))")
    }
  }

  /// Reads once, and blocks until data arrives. Returns whether the reply is complete. Throws an error reply
  /// of the server.
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

  /// Returns the reply to a line, without its last line.
  ///
  /// - Parameter seconds: The timeout of each read, in seconds.
  @discardableResult func ask(_ line: String, seconds: Int = 5) throws -> ControlReply {
    socket.limit(seconds: seconds)
    defer { socket.limit(seconds: 5) }
    try exchange(Array((line + "\n").utf8))
    return ControlReply(text: String(decoding: buffer[..<(length - 3)], as: UTF8.self))
  }

  /// The number of bytes discarded so far.
  private(set) var discarded = 0

  /// Discards the bytes that have arrived, without waiting.
  func discard() throws {
    while true {
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      guard count != 0 else { throw BenchError("the server closed the connection") }
      guard count > 0 else { return }
      discarded += count
    }
  }

  /// Whether the last line of the reply has arrived.
  private func isComplete() throws -> Bool {
    guard buffer[length - 1] == UInt8(ascii: "\n") else { return false }
    let start = buffer[..<(length - 1)].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    let line = buffer[start..<length]
    if line.starts(with: "ACK [".utf8) { throw BenchError(String(decoding: line.dropLast(), as: UTF8.self)) }
    return line.elementsEqual("OK\n".utf8)
  }
}

/// The text of a reply without its last line.
struct ControlReply {
  let text: String

  /// The value of the first line with this name.
  func value(_ name: String) -> String? {
    text.split(separator: "\n").first { $0.hasPrefix(name + ": ") }
      .map { String($0.dropFirst(name.count + 2)) }
  }
}
