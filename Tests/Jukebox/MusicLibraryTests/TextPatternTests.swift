import ControlProtocol
import Testing

@testable import MusicLibrary

@Suite struct TextPatternTests {
  private func found(_ pattern: String, in text: [UInt8], foldsCase: Bool = false) throws -> Bool {
    var budget = PatternBudget()
    return try found(TextPattern(Argument(pattern), foldsCase: foldsCase), in: text, &budget)
  }

  private func found(
    _ pattern: TextPattern, in text: [UInt8], _ budget: inout PatternBudget
  ) throws(Ack) -> Bool {
    try text.withUnsafeBufferPointer { text throws(Ack) in try pattern.matches(text, &budget) }
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
    "No expression takes time or memory without end",
    arguments: ["(a+)+$", "(a|a)*$", "(a|aa)+$", "(.*)*[xy]", "(?:(a)|b)*+[xy]"])
  func limits(_ pattern: String) throws {
    let text = [UInt8](repeating: UInt8(ascii: "a"), count: 400_000) + [UInt8(ascii: "b")]
    let pattern = try TextPattern(Argument(pattern), foldsCase: false)
    var budget = PatternBudget()
    #expect(throws: Ack.self) { try found(pattern, in: text, &budget) }
    // A question that has ended stays so.
    #expect(budget.refusal?.code == .argument)
    #expect(throws: Ack.self) { try found(pattern, in: [], &budget) }
    #expect(throws: Ack.self) { try found("(((((a{1,999}){1,999}){1,999}){1,999}){1,999})", in: []) }
  }

  @Test("Steps are counted over all texts, and each text adds some") func budget() throws {
    // Some thirty steps for each text: one for each character, and as many for those behind it.
    let pattern = try TextPattern("a{1,5}a{1,5}[bz]", foldsCase: false)
    let text = Array("aaaaaaaa".utf8)
    func texts(_ budget: PatternBudget) -> Int {
      var budget = budget
      for count in 0..<1000 {
        guard let isFound = try? found(pattern, in: text, &budget) else { return count }
        #expect(!isFound)
      }
      return 1000
    }
    let some = texts(PatternBudget(steps: 1000, stepsOfText: 0))
    #expect((2...100).contains(some))
    #expect((2 * some - 2...2 * some + 2).contains(texts(PatternBudget(steps: 2000, stepsOfText: 0))))
    #expect(texts(PatternBudget(steps: 0, stepsOfText: 500)) == 1000)
  }

  @Test("A comparison ends when nobody waits for it") func interrupted() throws {
    var budget = PatternBudget { "the client has gone" }
    let text = [UInt8](repeating: UInt8(ascii: "a"), count: 4000)
    #expect(throws: Ack(.system, "nothing was done: the client has gone")) {
      try found(TextPattern("(a+)+[bz]", foldsCase: false), in: text, &budget)
    }
  }

  /// PCRE2 takes 3 s and more to understand them, on the thread that answers all clients.
  @Test(
    "Expressions that take long to understand are refused",
    arguments: [
      "[\\x{100}-\\x{10ffff}]", "[Ā-\\x{10ffff}]", "[\\x{100}-\u{10FFFF}]", "[\\QĀ\\E-\\Q\u{10FFFF}\\E]",
      "(?xx)[Ā - \u{10FFFF}]", "[\\o{400}-\\N{U+10FFFF}]",
      String(repeating: "(?:a|", count: 17) + String(repeating: ")*", count: 17),
      String(repeating: "a", count: 513),
    ])
  func longToUnderstand(_ pattern: String) {
    #expect(throws: Ack.self) { try found(pattern, in: []) }
  }

  @Test(
    "Ranges of letters are taken",
    arguments: ["[а-яё]+", "[一-龯]", "[^\\x00-\\x7F]", "[\\x{1F300}-\\x{1FAFF}]", "a-z", "-", "\\"])
  func ranges(_ pattern: String) {
    #expect(PatternRanges.size(in: Argument(pattern)) < 30_000)
  }
}
