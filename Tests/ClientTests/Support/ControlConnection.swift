import Foundation
import PulseTestSupport

/// A client of the control socket that sends and receives bytes as a test says, with a limit on every wait.
final class ControlConnection {
  private let descriptor: Int32
  private var buffer: [UInt8] = []

  /// Connects and takes the greeting.
  init(_ path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else {
      // `deinit` runs and closes it: all properties are there.
      throw Failure("\(path): \(String(cString: strerror(errno)))")
    }
    let greeting = try line()
    guard greeting == "OK MPD 0.23.5" else { throw Failure("greeted with \(greeting)") }
  }

  deinit { close(descriptor) }

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

  /// Sends nothing more; goes on receiving.
  func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Sends a request and returns what comes up to and with the line that ends a reply. A chunk of binary data is one
  /// line, which says how long it is and what it adds up to. The last line is `closed` if the server hung up.
  func ask(_ request: String) throws -> [String] {
    send(request + "\n")
    return try reply()
  }

  /// What comes up to and with the line that ends a reply.
  func reply() throws -> [String] {
    var lines: [String] = []
    while true {
      guard let line = try lineOrEnd() else { return lines + ["closed"] }
      if line.hasPrefix("binary: "), let count = Int(line.dropFirst("binary: ".count)) {
        let chunk = try bytes(count + 1).dropLast()
        let sum = chunk.reduce(into: UInt64(5381)) { $0 = $0 &* 33 &+ UInt64($1) }
        lines.append("\(line), sum \(sum)")
        continue
      }
      lines.append(line)
      if line == "OK" || line.hasPrefix("ACK ") { return lines }
    }
  }

  /// Everything up to the end of the connection. That is a reset if the server has left something unread, which is a
  /// matter of chance.
  func rest() throws -> String {
    while try fill() {}
    defer { buffer = [] }
    return String(decoding: buffer, as: UTF8.self)
  }

  /// Whether nothing comes for that long.
  func isSilent(for seconds: Double) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return buffer.isEmpty && poll(&entry, 1, Int32(seconds * 1000)) == 0
  }

  private func line() throws -> String {
    guard let line = try lineOrEnd() else { throw Failure("the server hung up") }
    return line
  }

  private func lineOrEnd() throws -> String? {
    while true {
      if let index = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        defer { buffer.removeSubrange(...index) }
        return String(decoding: buffer[..<index], as: UTF8.self)
      }
      guard try fill() else { return nil }
    }
  }

  private func bytes(_ count: Int) throws -> [UInt8] {
    while buffer.count < count { guard try fill() else { throw Failure("the server hung up") } }
    defer { buffer.removeSubrange(..<count) }
    return Array(buffer[..<count])
  }

  /// False at the end of the connection.
  private func fill() throws -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&entry, 1, 20_000) > 0 else {
      throw Failure(
        "nothing came within 20 s; before that \(String(decoding: buffer.suffix(200), as: UTF8.self))")
    }
    var chunk = [UInt8](repeating: 0, count: 64 * 1024)
    let count = recv(descriptor, &chunk, chunk.count, 0)
    if count > 0 { buffer += chunk[..<count] }
    return count > 0
  }
}
