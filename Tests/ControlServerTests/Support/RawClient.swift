import Foundation
import Testing

/// A client that sends and receives bytes as a test says, with a limit on every wait.
final class RawClient {
  struct Failed: Error, CustomStringConvertible {
    let description: String
  }

  private let descriptor: Int32
  private var buffer: [UInt8] = []

  /// Connects. The greeting is taken unless the test wants it.
  init(_ path: String, takesGreeting: Bool = true) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else { throw Failed(description: "connect: errno \(errno)") }
    if takesGreeting { #expect(try line().hasPrefix("OK MPD ")) }
  }

  deinit { Glibc.close(descriptor) }

  func send(_ text: String) { send(Array(text.utf8)) }

  /// Sends all of it, or what the server takes before it closes.
  func send(_ bytes: [UInt8]) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return }
      sent += count
    }
  }

  /// Sends as long as the server takes it at once; how many bytes it took.
  func sendWhileTaken(_ bytes: [UInt8]) -> Int {
    let count = bytes.withUnsafeBytes {
      Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    }
    return max(0, count)
  }

  func shutdownWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// The next line, without its newline.
  func line(limit: Double = 30) throws -> String {
    let end = Date(timeIntervalSinceNow: limit)
    while true {
      if let index = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        defer { buffer.removeSubrange(...index) }
        return String(decoding: buffer[..<index], as: UTF8.self)
      }
      guard try fill(until: end) else { throw Failed(description: "closed, after \(buffer.count) bytes") }
    }
  }

  /// Lines up to and with the one that ends a reply.
  func reply(limit: Double = 30) throws -> [String] {
    var lines: [String] = []
    while true {
      lines.append(try line(limit: limit))
      if let last = lines.last, last == "OK" || last.hasPrefix("ACK ") { return lines }
    }
  }

  /// Everything up to the end of the connection.
  func rest(limit: Double = 30) throws -> String {
    let end = Date(timeIntervalSinceNow: limit)
    while try fill(until: end) {}
    defer { buffer = [] }
    return String(decoding: buffer, as: UTF8.self)
  }

  /// Whether nothing comes for that long.
  func isSilent(for seconds: Double) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return buffer.isEmpty && poll(&entry, 1, Int32(seconds * 1000)) == 0
  }

  /// False at the end of the connection.
  private func fill(until end: Date) throws -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&entry, 1, Int32(max(0, end.timeIntervalSinceNow) * 1000)) > 0 else {
      throw Failed(description: "nothing came; had \(String(decoding: buffer.suffix(200), as: UTF8.self))")
    }
    var chunk = [UInt8](repeating: 0, count: 64 * 1024)
    let count = recv(descriptor, &chunk, chunk.count, 0)
    if count > 0 { buffer += chunk[..<count] }
    return count > 0
  }
}
