/// Measures text in terminal columns, and replaces characters that control a terminal.
package enum TerminalText {
  /// Returns the number of columns that a text occupies on a Unicode terminal. An approximation, since
  /// terminals disagree about emoji sequences.
  package static func width(_ text: some StringProtocol) -> Int { text.reduce(0) { $0 + width(of: $1) } }

  /// Returns a character's columns: 0 for combining and control, 2 for East Asian wide and emoji, else 1.
  package static func width(of character: Character) -> Int {
    if let ascii = character.asciiValue { return ascii >= 0x20 && ascii < 0x7F ? 1 : 0 }
    var width = 0
    for scalar in character.unicodeScalars {
      if scalar == "\u{FE0F}" { width = 2 }
      width = max(width, Self.width(of: scalar))
    }
    return width
  }

  private static func width(of scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .control, .format: return 0
    default: break
    }
    // Hangul's medial vowels and final consonants join the syllable's initial.
    if (0x1160...0x11FF).contains(scalar.value) { return 0 }
    return scalar.properties.isEmojiPresentation || isWide(scalar.value) ? 2 : 1
  }

  /// Whether a scalar is in a range of wide or full-width characters (EastAsianWidth W, F). A few other
  /// characters in these ranges count as well.
  private static func isWide(_ value: UInt32) -> Bool {
    switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18D08,
      0x1AFF0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x3FFFD:
      true
    default: false
    }
  }

  /// Returns the text without characters that move the cursor, change colours or reverse the direction. Tags
  /// and file names are not trusted, because an escape sequence in them could control the terminal. Tabs,
  /// line breaks and separators become spaces, the rest U+FFFD.
  package static func sanitized(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { replacement(for: $0) != nil }) else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.map { replacement(for: $0) ?? $0 }))
  }

  private static func replacement(for scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar.value {
    case 0x09...0x0D, 0x85, 0x2028, 0x2029: " "
    case 0x00...0x1F, 0x7F...0x9F, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0x61C: "\u{FFFD}"
    default: nil
    }
  }

  /// Returns the text if it fits into `columns`, else its beginning with an ellipsis, in at most `columns` columns.
  /// Without a column, the result is empty.
  package static func truncated(_ text: String, columns: Int) -> String {
    // A column takes at least one byte, so a short text needs no measuring.
    if text.utf8.count <= columns || width(text) <= columns { return text }
    guard columns > 0 else { return "" }
    var result = ""
    var used = 1
    for character in text {
      let width = width(of: character)
      guard used + width <= columns else { break }
      used += width
      result.append(character)
    }
    return result + "…"
  }
}

/// A table of names and values in two columns, for display.
package struct FieldTable {
  private var rows: [(name: String, value: String)] = []

  package init() {}

  package mutating func add(_ name: String, _ value: String?) {
    guard let value, !value.isEmpty else { return }
    rows.append((name, TerminalText.sanitized(value)))
  }

  /// The rows, each with its line feed and with the values aligned in one column.
  package var text: String {
    let width = rows.map(\.name.count).max() ?? 0
    return rows.map { name, value in
      name + String(repeating: " ", count: width - name.count + 2) + value + "\n"
    }.joined()
  }
}
