import Foundation

/// A client of the control socket that sends and receives bytes as a test says, with a limit on every wait.
package final class ControlConnection {
  private let descriptor: Int32
  private var buffer: [UInt8] = []

  /// Connects. The greeting is taken unless the test wants it.
  package init(_ path: String, takesGreeting: Bool = true) throws {
    descriptor = try connectedSocket(path)
    guard takesGreeting else { return }
    let greeting = try line()
    // `deinit` runs and closes the socket: all properties are there.
    guard greeting == "OK MPD 0.23.5" else { throw ConnectionTrouble("greeted with \(greeting)") }
  }

  deinit { close(descriptor) }

  // MARK: Sending

  /// Sends all of it, or what the server takes before it closes.
  package func send(_ text: String) { send(Array(text.utf8)) }

  /// Sends all of it, or what the server takes before it closes.
  package func send(_ bytes: [UInt8]) {
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
  package func sendWhileTaken(_ bytes: [UInt8]) -> Int {
    let count = bytes.withUnsafeBytes {
      Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    }
    return max(0, count)
  }

  /// Sends nothing more; goes on receiving.
  package func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  // MARK: Receiving

  /// Sends a request and returns the reply to it.
  package func ask(_ request: String, limit: Double = 120) throws -> [String] {
    send(request + "\n")
    return try reply(limit: limit)
  }

  /// What comes up to and with the line that ends a reply. A chunk of binary data is one line, which says how long it
  /// is and what it adds up to. The last line is `closed` if the server hung up.
  package func reply(limit: Double = 120) throws -> [String] {
    let end = Date(timeIntervalSinceNow: limit)
    var lines: [String] = []
    while true {
      guard let line = try lineOrEnd(until: end) else { return lines + ["closed"] }
      if line.hasPrefix("binary: "), let count = Int(line.dropFirst("binary: ".count)) {
        let chunk = try bytes(count + 1, until: end).dropLast()
        let sum = chunk.reduce(into: UInt64(5381)) { $0 = $0 &* 33 &+ UInt64($1) }
        lines.append("\(line), sum \(sum)")
        continue
      }
      lines.append(line)
      if line == "OK" || line.hasPrefix("ACK ") { return lines }
    }
  }

  /// The next line, without its newline.
  package func line(limit: Double = 120) throws -> String {
    guard let line = try lineOrEnd(until: Date(timeIntervalSinceNow: limit)) else {
      throw ConnectionTrouble("the server hung up, after \(buffer.count) bytes")
    }
    return line
  }

  /// Everything up to the end of the connection. That is a reset if the server has left something unread, which is a
  /// matter of chance.
  package func rest(limit: Double = 120) throws -> String {
    let end = Date(timeIntervalSinceNow: limit)
    while try fill(until: end) {}
    defer { buffer = [] }
    return String(decoding: buffer, as: UTF8.self)
  }

  /// Whether nothing comes for that long.
  package func isSilent(for seconds: Double) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return buffer.isEmpty && poll(&entry, 1, Int32(seconds * 1000)) == 0
  }

  private func lineOrEnd(until end: Date) throws -> String? {
    while true {
      if let index = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        defer { buffer.removeSubrange(...index) }
        return String(decoding: buffer[..<index], as: UTF8.self)
      }
      guard try fill(until: end) else { return nil }
    }
  }

  private func bytes(_ count: Int, until end: Date) throws -> [UInt8] {
    while buffer.count < count {
      guard try fill(until: end) else { throw ConnectionTrouble("the server hung up") }
    }
    defer { buffer.removeSubrange(..<count) }
    return Array(buffer[..<count])
  }

  /// False at the end of the connection.
  private func fill(until end: Date) throws -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&entry, 1, Int32(max(0, end.timeIntervalSinceNow) * 1000)) > 0 else {
      throw ConnectionTrouble(
        "nothing came in time; before that \(String(decoding: buffer.suffix(200), as: UTF8.self))")
    }
    var chunk = [UInt8](repeating: 0, count: 64 * 1024)
    let count = recv(descriptor, &chunk, chunk.count, 0)
    if count > 0 { buffer += chunk[..<count] }
    return count > 0
  }
}
