import Testing
import Transfer

@Suite("Heads of answers")
struct HeadTests {
  private func read(_ lines: [String]) throws -> ResponseHead? {
    var reader = HeadReader()
    var head: ResponseHead?
    for line in lines { head = try reader.add(Array((line + "\r\n").utf8)) ?? head }
    return head
  }

  @Test("status and fields, interim answers left out, folded lines joined")
  func reads() throws {
    let head = try #require(
      try read([
        "HTTP/1.1 100 Continue", "", "HTTP/1.1 206 Partial Content", "Content-Type:audio/mpeg", "X: a",
        "\t b",
        "nonsense", "etag: \"x\"", "",
      ]))
    #expect(head.status == 206 && !head.isICY)
    #expect(head.fields["content-TYPE"] == "audio/mpeg" && head.fields["X"] == "a b")
    #expect(head.validator == .tag("\"x\""))
  }

  @Test("ICY 200 OK is a status line, and Latin-1 is read")
  func icy() throws {
    var reader = HeadReader()
    #expect(try reader.add(Array("ICY 200 OK\r\n".utf8)) == nil)
    #expect(try reader.add(Array("icy-name: Caf".utf8) + [0xE9, 0x0D, 0x0A]) == nil)
    let head = try #require(try reader.add([0x0D, 0x0A]))
    #expect(head.isICY && head.status == 200 && head.fields["icy-name"] == "Café")
  }

  @Test(
    "what is no HTTP is refused",
    arguments: ["", "<html>", "HTTP/1.1", "HTTP/1.1 20 OK", "HTTP/1.1 abc OK", "SIP/2.0 200 OK"])
  func noHTTP(_ line: String) {
    var reader = HeadReader()
    #expect(throws: TransferFailure.self) { try reader.add(Array(line.utf8)) }
  }

  @Test("a line has at most 64 KiB, a head at most 256 KiB")
  func limits() throws {
    func line(_ count: Int) -> [UInt8] { Array("X: ".utf8) + [UInt8](repeating: 0x61, count: count - 3) }
    var reader = HeadReader()
    _ = try reader.add(Array("HTTP/1.1 200 OK\r\n".utf8))
    for _ in 0..<3 { _ = try reader.add(line(NetworkLimits.headerLine)) }
    _ = try reader.add(line(NetworkLimits.headerLine - 17))
    #expect(throws: TransferFailure.self) { try reader.add([0x0D]) }
    var other = HeadReader()
    _ = try other.add(Array("HTTP/1.1 200 OK\r\n".utf8))
    #expect(throws: TransferFailure.self) { try other.add(line(NetworkLimits.headerLine + 1)) }
  }

  @Test("Content-Range")
  func contentRange() throws {
    let full = try #require(ContentRange("bytes 5-9/10"))
    #expect(full.bytes == 5..<10 && full.total == 10)
    #expect(ContentRange("Bytes 0-0/*")?.bytes == 0..<1 && ContentRange("bytes */77")?.total == 77)
    for text in [
      "", "bytes", "bytes 5-9", "bytes 9-5/10", "bytes 5-10/10", "bytes -5/10", "items 0-1/2", "bytes */*",
      "bytes a-b/c",
      "bytes 0-9223372036854775807/*", "bytes 0-99999999999999999999/*", "bytes 1-2-3/9",
    ] {
      #expect(ContentRange(text) == nil, "\(text)")
    }
  }

  @Test("a validator is a strong tag, or a date a minute older than the answer where there is no tag")
  func validators() {
    func validator(_ fields: [(String, String)]) -> Validator? {
      ResponseHead(status: 200, fields: fields).validator
    }
    let old = ("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(validator([("ETag", "\"a\""), old]) == .tag("\"a\""))
    #expect(validator([("ETag", "W/\"a\""), old, ("Date", "Sun, 06 Nov 1994 09:49:37 GMT")]) == nil)
    #expect(
      validator([("ETag", "a")]) == nil && validator([("ETag", "\"")]) == nil && validator([old]) == nil)
    #expect(validator([old, ("Date", "Sun, 06 Nov 1994 08:50:36 GMT")]) == nil)
    #expect(validator([old, ("Date", "Sun, 06 Nov 1994 08:50:37 GMT")]) == .date(old.1))
  }

  @Test("lengths, encodings, Retry-After")
  func values() {
    func head(_ fields: (String, String)...) -> ResponseHead { ResponseHead(status: 200, fields: fields) }
    #expect(head(("Content-Length", "12")).contentLength == 12)
    #expect(head(("Content-Length", "4611686018427387904")).contentLength == 1 << 62)
    for text in ["", "-1", "1 2", "99999999999999999999"] {
      #expect(head(("Content-Length", text)).contentLength == nil)
    }
    #expect(head(("Content-Length", "9"), ("Content-Encoding", "gzip")).contentLength == nil)
    #expect(head(("Content-Length", "9"), ("Transfer-Encoding", "chunked")).contentLength == nil)
    #expect(!head(("Content-Encoding", "identity")).isEncoded && head(("Content-Encoding", "GZIP")).isEncoded)
    #expect(head(("Retry-After", "7")).retryAfter == 7 && head(("Retry-After", "700")).retryAfter == 60)
    #expect(head(("Retry-After", "soon")).retryAfter == nil)
    let dates = head(
      ("Retry-After", "Sun, 06 Nov 1994 08:49:37 GMT"), ("Date", "Sun, 06 Nov 1994 08:49:30 GMT"))
    #expect(dates.retryAfter == 7)
  }
}
