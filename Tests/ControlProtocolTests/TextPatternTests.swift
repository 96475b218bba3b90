import ControlProtocol
import Testing

@Suite struct TextPatternTests {
  private func found(_ pattern: String, in text: [UInt8], foldsCase: Bool = false) throws -> Bool {
    let pattern = try TextPattern(Argument(pattern), foldsCase: foldsCase)
    return text.withUnsafeBufferPointer { pattern.matches($0) }
  }

  @Test(
    "Expressions find characters, not bytes",
    arguments: [
      ("^.$", "ü", false, true), ("Ü", "ü", false, false), ("Ü", "ü", true, true),
      ("a.b", "a\nb", false, true),
      ("", "", false, true), ("[", "x", false, nil), ("^$", "", false, true), ("(a)\\1", "aa", false, nil),
      ("\\C", "a", false, nil),
    ])
  func finds(_ pattern: String, _ text: String, _ foldsCase: Bool, _ expected: Bool?) throws {
    guard let expected else {
      #expect(throws: Ack.self) { try found(pattern, in: []) }
      return
    }
    #expect(try found(pattern, in: Array(text.utf8), foldsCase: foldsCase) == expected)
  }

  @Test("Text that is not UTF-8 is looked into too") func noText() throws {
    #expect(try found("song", in: [0xFF] + Array("song".utf8)))
  }

  /// Each would take hours or gigabytes.
  @Test(
    "No expression takes time or memory without end", arguments: ["(a+)+$", "(a|a)*$", "(a|aa)+$", "(.*)*x"])
  func limits(_ pattern: String) throws {
    let text = [UInt8](repeating: UInt8(ascii: "a"), count: 4000) + [UInt8(ascii: "b")]
    let start = ContinuousClock.now
    for _ in 0..<10 { _ = try found(pattern, in: text) }
    #expect(ContinuousClock.now - start < .seconds(5))
    #expect(throws: Ack.self) { try found("(((((a{1,999}){1,999}){1,999}){1,999}){1,999})", in: []) }
  }
}
