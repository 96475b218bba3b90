import ControlProtocol
import Testing

@Suite struct RequestTests {
  @Test(
    "A line is split as mpd splits it",
    arguments: [
      ("ping", "ping", []),
      ("ping  ", "ping", []),
      ("ping\t\r", "ping", []),
      ("play \"1\"", "play", ["1"]),
      ("find Title \"x y\"", "find", ["Title", "x y"]),
      ("find\tTitle\u{1}x", "find", ["Title", "x"]),
      ("add \"\"", "add", [""]),
      ("add \"a\\\"b\\\\c\\n\"", "add", ["a\"b\\cn"]),
      ("add a\\b", "add", ["a\\b"]),
      ("add \"it's\"", "add", ["it's"]),
      ("f1_X y", "f1_X", ["y"]),
    ] as [(String, String, [Argument])])
  func splits(_ line: String, _ name: String, _ arguments: [Argument]) throws {
    let request = try Request.parse(line: line)
    #expect(request.name == name)
    #expect(request.arguments == arguments)
  }

  @Test(
    "A line that is none is refused as mpd refuses it",
    arguments: [
      ("", RequestError.notARequest), ("Ping", .notARequest), (" ping", .notARequest),
      ("1ping", .notARequest),
      ("\"ping\"", .notARequest), ("GET / HTTP/1.1", .notARequest),
      ("p-ing", .invalidWordCharacter), ("pi\"ng\"", .invalidWordCharacter), ("foo\"", .invalidWordCharacter),
      ("ping \"", .missingClosingQuote), ("ping \"a", .missingClosingQuote),
      ("ping \"a\\\"", .missingClosingQuote),
      ("ping \"a\\", .missingClosingQuote), ("ping \"a\"b", .spaceExpectedAfterQuote),
      ("ping \"a\"\"b\"", .spaceExpectedAfterQuote), ("ping a\"b", .invalidUnquotedCharacter),
      ("ping it's", .invalidUnquotedCharacter), ("ping 'a'", .invalidUnquotedCharacter),
      ("ping a\0b", .nulByte), ("ping \"a\nb\"", .newline), ("ping\nping", .newline),
    ])
  func refuses(_ line: String, _ error: RequestError) {
    #expect(throws: error) { try Request.parse(line: line) }
  }

  @Test("At most 63 arguments")
  func argumentLimit() throws {
    let most = "ping" + String(repeating: " a", count: ProtocolLimits.arguments)
    #expect(try Request.parse(line: most).arguments.count == 63)
    #expect(throws: RequestError.tooManyArguments) { try Request.parse(line: most + " a") }
    let arguments = Array(repeating: Argument("a"), count: 64)
    #expect(throws: RequestError.tooManyArguments) { try Request("ping", arguments) }
  }

  @Test("At most 8192 bytes with the newline")
  func lengthLimit() throws {
    let longest = "add " + String(repeating: "a", count: ProtocolLimits.requestLine - 5)
    let request = try Request.parse(line: longest)
    #expect(throws: RequestError.lineTooLong) { try Request.parse(line: longest + "a") }
    #expect(try Request("add", request.arguments) == request)
    #expect(throws: RequestError.lineTooLong) { try Request("add", [Argument(longest)]) }
  }

  @Test("What the grammar cannot express is refused, not written otherwise")
  func unwritable() {
    #expect(throws: RequestError.newline) { try Request("add", ["a\nb"]) }
    #expect(throws: RequestError.nulByte) { try Request("add", ["a\0b"]) }
    #expect(throws: RequestError.notARequest) { try Request("Add") }
    #expect(throws: RequestError.notARequest) { try Request("") }
    #expect(throws: RequestError.invalidWordCharacter) { try Request("a b") }
  }

  @Test("Quotes are written only where they are needed")
  func writes() throws {
    var line: [UInt8] = []
    try Request("add", ["a\\b", "a b", "", "q\"\\", "é"]).write(into: &line)
    #expect(String(decoding: line, as: UTF8.self) == "add a\\b \"a b\" \"\" \"q\\\"\\\\\" é\n")
  }

  @Test("Every request is read back as it was written", arguments: [1, 2, 3] as [UInt64])
  func identity(seed: UInt64) throws {
    var lines = LineGenerator(seed: seed)
    for _ in 0..<5000 {
      guard let request = lines.request() else { continue }
      var line: [UInt8] = []
      request.write(into: &line)
      #expect(line.last == 0x0A)
      #expect(try Request.parse(line: line.dropLast()) == request, "seed \(seed)")
    }
  }

  @Test("A file name that is not UTF-8 keeps its bytes")
  func bytes() throws {
    let request = try Request.parse(line: Array("add ".utf8) + [0x61, 0xFF, 0xFE])
    #expect(request.arguments == [Argument([0x61, 0xFF, 0xFE])])
    #expect(request.arguments.first?.string == nil)
    #expect(request.arguments.first?.description == "a\\xFF\\xFE")
  }
}

extension Request {
  static func parse(line: [UInt8]) throws(RequestError) -> Request { try parse(line: line[...]) }
  static func parse(line: String) throws(RequestError) -> Request { try parse(line: Array(line.utf8)) }
}
