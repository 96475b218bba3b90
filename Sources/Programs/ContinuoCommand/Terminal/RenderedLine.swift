import TextFormatting

/// A line for a terminal of a certain width. The cursor stays at the line's beginning. So if a terminal
/// becomes narrower and breaks the line into several, all of them can be cleared.
struct RenderedLine: Hashable, Sendable {
  struct Piece: Hashable, Sendable {
    enum Style { case plain, strong, faint, accent }
    var text: String
    var style = Style.plain
  }

  /// A part of the line that is redrawn separately. Each character takes one column on all terminals.
  struct Field: Hashable, Sendable {
    var column: Int
    var pieces: [Piece]
    var width: Int { pieces.reduce(0) { $0 + $1.text.count } }
  }

  /// The text at the left, whose width may differ between terminals.
  var head: [Piece] = []
  var fields: [Field] = []
  var hasColors = false

  /// The sequence that clears the screen from the cursor's line on.
  static let clearing = "\r\u{1B}[J"

  var whole: String {
    Self.unbroken(Self.clearing + head.map(styled).joined() + fields.map { "\r" + drawing(of: $0) }.joined())
  }

  /// Returns the sequence that turns `old` into this line.
  func change(from old: RenderedLine) -> String {
    let places = zip(fields, old.fields)
    guard head == old.head, hasColors == old.hasColors, fields.count == old.fields.count,
      places.allSatisfy({ $0.column == $1.column && $0.width == $1.width })
    else { return whole }
    let changed = places.filter { $0 != $1 }.map { new, _ in drawing(of: new) }
    return changed.isEmpty ? "" : Self.unbroken(changed.joined(separator: "\r"))
  }

  /// Returns the text with automatic wrapping off, and the cursor back at the line's beginning. In a terminal
  /// that has become narrower, text that does not fit overwrites the last column and begins no new line.
  private static func unbroken(_ text: String) -> String { "\u{1B}[?7l\(text)\r\u{1B}[?7h" }

  private func drawing(of field: Field) -> String {
    (field.column > 0 ? "\u{1B}[\(field.column)C" : "") + field.pieces.map(styled).joined()
  }

  private func styled(_ piece: Piece) -> String {
    guard hasColors, !piece.text.isEmpty else { return piece.text }
    switch piece.style {
    case .plain: return piece.text
    case .strong: return "\u{1B}[1m\(piece.text)\u{1B}[0m"
    case .faint: return "\u{1B}[2m\(piece.text)\u{1B}[0m"
    case .accent: return "\u{1B}[36m\(piece.text)\u{1B}[0m"
    }
  }
}

extension RenderedLine: CustomStringConvertible {
  /// The text without styles.
  var description: String {
    var text = head.map(\.text).joined()
    for field in fields {
      let gap = max(0, field.column - TerminalText.width(text))
      text += String(repeating: " ", count: gap) + field.pieces.map(\.text).joined()
    }
    return text
  }
}
