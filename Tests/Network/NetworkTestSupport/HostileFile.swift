/// A file, and all that a server can do wrong with it.
package struct HostileFile: Sendable {
  /// The file.
  package var content: [UInt8]
  /// The strong tag; nil: neither tag nor date.
  package var tag: String? = "\"1\""
  /// Whether `Range` counts.
  package var hasRanges = true
  /// How the length is told.
  package var length = Length.told
  /// Bytes by which the told length is too long.
  package var lengthError = 0
  /// Bytes of the body after which the connection ends; nil: at its end.
  package var cut: Int?
  /// What happens there.
  package var ending = HostileServer.Step.close
  /// Bytes by which a part begins too early.
  package var rangeError = 0
  /// Whether every part that does not begin at 0 is refused with 416.
  package var refusesParts = false
  /// Whether the body is compressed although nobody asked for it.
  package var isCompressed = false
  /// Other header lines.
  package var lines: [String] = []

  /// How a length is told.
  package enum Length: Sendable {
    /// By `Content-Length`.
    case told
    /// By the end of the connection.
    case untold
    /// By the chunks of the transfer.
    case chunked
  }

  /// A file that is served as it should be.
  package init(_ content: [UInt8]) { self.content = content }

  /// The answer to a request.
  package func answer(_ request: HostileServer.Request) -> [HostileServer.Step] {
    var status = "200 OK"
    var first = 0
    var head = lines
    if hasRanges, length == .told, let asked = request.first,
      request.fields["if-range"].map({ $0 == tag }) ?? true
    {
      if asked >= content.count || refusesParts && asked > 0 {
        return [
          .send(
            Self.head(
              "416 Range Not Satisfiable", ["Content-Range: bytes */\(content.count)", "Content-Length: 0"]))
        ]
      }
      status = "206 Partial Content"
      first = asked >= rangeError ? asked - rangeError : asked
      head.append("Content-Range: bytes \(first)-\(content.count - 1)/\(content.count)")
    }
    if let tag { head.append("ETag: \(tag)") }
    var body = Array(content[first...])
    if isCompressed {
      body = Self.compressed(body)
      head.append("Content-Encoding: gzip")
    }
    switch length {
    case .told: head.append("Content-Length: \(body.count + lengthError)")
    case .untold: head.append("Connection: close")
    case .chunked: head.append("Transfer-Encoding: chunked")
    }
    let keeps = cut.map { $0 >= body.count } ?? true
    let sent = Array(body.prefix(cut ?? body.count))
    var steps: [HostileServer.Step] = [.send(Self.head(status, head))]
    if length == .chunked {
      for start in stride(from: 0, to: sent.count, by: 8_192) {
        let piece = sent[start..<min(start + 8_192, sent.count)]
        steps.append(.send(Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Array("\r\n".utf8)))
      }
      if keeps { steps.append(.send(Array("0\r\n\r\n".utf8))) }
    } else {
      steps.append(.send(sent))
    }
    if !keeps { steps.append(ending) } else if length == .untold || lengthError != 0 { steps.append(.close) }
    return steps
  }

  /// The bytes of a head.
  package static func head(_ status: String, _ lines: [String]) -> [UInt8] {
    Array((["HTTP/1.1 \(status)"] + lines + ["", ""]).joined(separator: "\r\n").utf8)
  }

  /// An answer without body.
  package static func plain(_ status: String, _ lines: [String] = []) -> [HostileServer.Step] {
    [.send(head(status, lines + ["Content-Length: 0"]))]
  }

  /// The bytes as a gzip file, in blocks that are not compressed (RFC 1951, 3.2.4; RFC 1952).
  private static func compressed(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
    func add(_ number: UInt32, _ count: Int) {
      for index in 0..<count { result.append(UInt8(truncatingIfNeeded: number >> (8 * UInt32(index)))) }
    }
    for start in stride(from: 0, to: bytes.count, by: 65_535) {
      let block = bytes[start..<min(start + 65_535, bytes.count)]
      result.append(start + block.count == bytes.count ? 1 : 0)
      add(UInt32(block.count), 2)
      add(~UInt32(block.count), 2)
      result += block
    }
    let table = (0..<256).map { index in
      var value = UInt32(index)
      for _ in 0..<8 { value = value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
      return value
    }
    var sum = ~UInt32(0)
    for byte in bytes { sum = table[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] ^ (sum >> 8) }
    sum = ~sum
    add(sum, 4)
    add(UInt32(truncatingIfNeeded: bytes.count), 4)
    return result
  }
}
