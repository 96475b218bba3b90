import ControlProtocol
import TestSupport
import Testing

@Suite struct ReplyParserTests {
  private func elements(of bytes: [UInt8], pieces: (inout RandomSource) -> Int = { _ in 7 }) throws
    -> [ReplyParser.Element]
  {
    var random = RandomSource(seed: 31)
    var parser = ReplyParser()
    var elements: [ReplyParser.Element] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = max(1, min(pieces(&random), rest.count))
      parser.append(rest.prefix(count))
      rest = rest.dropFirst(count)
      while let element = try parser.next() { elements.append(element) }
    }
    return elements
  }

  @Test("A conversation is read in pieces of any size")
  func conversation() throws {
    var picture = Reply(["a": "", "b": "x: y"])
    picture.appendBinary([0x0A, 0x4F, 0x4B, 0x0A, 0xFF], totalSize: 9, mediaType: "image/png")
    let bytes =
      Array("OK MPD 0.23.5\n".utf8) + picture.bytes
      + Array("list_OK\n0:file: x\nACK [50@1] {addid} No such {song}\nOK\n".utf8)
    let expected: [ReplyParser.Element] = [
      .greeting(version: "0.23.5"), .pair(name: "a", value: ""), .pair(name: "b", value: "x: y"),
      .pair(name: "size", value: "9"), .pair(name: "type", value: "image/png"),
      .pair(name: "binary", value: "5"),
      .binary([0x0A, 0x4F, 0x4B, 0x0A, 0xFF]), .listOK, .pair(name: "0", value: "file: x"),
      .refused(.init(code: 50, index: 1, command: "addid", message: "No such {song}")), .ok,
    ]
    for size in [1, 2, 3, 7, 1000] {
      #expect(try elements(of: bytes) { _ in size } == expected)
    }
  }

  @Test("Every refusal is read as it was written")
  func refusals() throws {
    for (_, line) in refusalsOfMPD {
      let read = try elements(of: Array("OK MPD 0.23.5\n\(line)\n".utf8))
      guard case .refused(let refusal) = read.last else {
        Issue.record("\(line)")
        continue
      }
      let written = "ACK [\(refusal.code)@\(refusal.index)] {\(refusal.command)} \(refusal.message)"
      #expect(written == line)
    }
  }

  @Test(
    "What is not a server's is an error, for good",
    arguments: [
      ("HTTP/1.1 200\n", ReplyParser.Failure.noGreeting),
      ("OK MPD 1\nhello\n", .malformedLine("hello")),
      ("OK MPD 1\n: x\n", .malformedLine(": x")),
      ("OK MPD 1\nACK what\n", .malformedLine("ACK what")),
      ("OK MPD 1\nACK ]2@0[ {} x\n", .malformedLine("ACK ]2@0[ {} x")),
      ("OK MPD 1\nbinary: -1\n", .malformedBinary),
      ("OK MPD 1\nbinary: 99999999\n", .malformedBinary),
      ("OK MPD 1\nbinary: 1\nab", .malformedBinary),
    ])
  func failures(_ text: String, _ failure: ReplyParser.Failure) {
    #expect(throws: failure) { try elements(of: Array(text.utf8)) }
    var parser = ReplyParser()
    parser.append(text.utf8)
    #expect(throws: failure) { while try parser.next() != nil {} }
    parser.append("OK\n".utf8)
    #expect(throws: failure) { try parser.next() }
  }

  @Test("A line without an end is not kept for ever")
  func longLine() {
    #expect(throws: ReplyParser.Failure.lineTooLong) {
      try elements(of: Array(repeating: 0x61, count: ReplyParser.lineLimit + 1)) { _ in 4096 }
    }
  }

  @Test(
    "A person is told in words",
    arguments: [ReplyParser.Failure.noGreeting, .lineTooLong, .malformedLine("x"), .malformedBinary])
  func words(failure: ReplyParser.Failure) {
    #expect("\(failure)".contains(" ") && !"\(failure)".contains("malformed"))
  }

  @Test("Noise is read or refused, never a trap", arguments: [41, 42] as [UInt64])
  func noise(seed: UInt64) {
    var random = RandomSource(seed: seed)
    let words = [
      "OK\n", "ACK [", "@", "] {", "} ", "binary: ", "3", "\n", "list_", "a: b\n", "\u{FF}", "size",
    ]
    for _ in 0..<20_000 {
      var parser = ReplyParser(expectsGreeting: false)
      for _ in 0..<random.below(12) { parser.append(random.pick(words).utf8) }
      while let element = try? parser.next() { _ = element }
    }
  }
}
