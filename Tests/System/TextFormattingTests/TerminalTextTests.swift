import Testing

@testable import TextFormatting

@Suite struct TerminalTextTests {
  @Test(arguments: [
    ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("中文", 4), ("ｱ", 1), ("Ａ", 2), ("한", 2),
    ("\u{1112}\u{1161}\u{11AB}", 2),
    ("😀", 2), ("👩‍👩‍👧", 2), ("❤️", 2), ("❤", 1), ("🇩🇪", 2), ("\u{200B}", 0), ("\u{301}", 0), ("\t", 0), ("𠀀", 2),
    ("ไทย", 3),
  ])
  func widths(text: String, width: Int) {
    #expect(TerminalText.width(text) == width)
  }

  @Test func sanitises() {
    #expect(
      TerminalText.sanitized("a\u{1B}[31mb\u{7F}\u{9B}c\r\nd\te\u{202E}f\u{2028}g")
        == "a\u{FFFD}[31mb\u{FFFD}\u{FFFD}c  d e\u{FFFD}f g")
    #expect(TerminalText.sanitized("Ümläut 中 😀") == "Ümläut 中 😀")
  }

  @Test(
    "Marks, embeddings and isolates that change the direction of writing are replaced",
    arguments: [0x61C, 0x200E, 0x200F, 0x202A, 0x202E, 0x2066, 0x2069])
  func directions(value: UInt32) throws {
    let scalar = try #require(Unicode.Scalar(value))
    #expect(TerminalText.sanitized("a\(scalar)b") == "a\u{FFFD}b")
  }

  @Test(arguments: [
    ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("abc", 1, "…"), ("abc", 0, ""), ("abc", -1, ""),
    ("中文字", 5, "中文…"),
    ("中文字", 4, "中…"), ("中文字", 6, "中文字"), ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"), ("éé", 2, "éé"),
  ])
  func truncates(text: String, columns: Int, result: String) {
    #expect(TerminalText.truncated(text, columns: columns) == result)
  }
}
