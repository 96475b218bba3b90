import TextFormatting

/// A line as a terminal of some width shows it. The cursor is left at its beginning: where a terminal that gets narrower
/// breaks the line into several, the cursor stays with the first of them, and all can be cleared from there.
struct RenderedLine: Hashable, Sendable {
  /// Text in one style.
  struct Piece: Hashable, Sendable {
    enum Style { case plain, strong, faint, accent }
    var text: String
    var style = Style.plain
  }

  /// A part of the line that is drawn by itself when it changes. Its text is as wide as its count of characters on all
  /// terminals.
  struct Field: Hashable, Sendable {
    var column: Int
    var pieces: [Piece]
    /// In columns.
    var width: Int { pieces.reduce(0) { $0 + $1.text.count } }
  }

  /// At the left; terminals may disagree about how wide it is.
  var head: [Piece] = []
  /// From left to right, behind the head.
  var fields: [Field] = []
  var hasColors = false

  /// What clears everything from the cursor's line on.
  static let clearing = "\r\u{1B}[J"

  /// What draws all of it, in place of what was there.
  var whole: String {
    Self.unbroken(
      Self.clearing + head.map(styled).joined() + fields.map { "\r" + drawing(of: $0) }.joined())
  }

  /// What makes this line of `old`.
  func change(from old: RenderedLine) -> String {
    let places = zip(fields, old.fields)
    guard head == old.head, hasColors == old.hasColors, fields.count == old.fields.count,
      places.allSatisfy({ $0.column == $1.column && $0.width == $1.width })
    else { return whole }
    let changed = places.filter { $0 != $1 }.map { new, _ in drawing(of: new) }
    return changed.isEmpty ? "" : Self.unbroken(changed.joined(separator: "\r"))
  }

  /// Text that leaves the cursor at the line's beginning, also where the terminal has become narrower than is known yet:
  /// what does not fit there goes into its last column, not into another line.
  private static func unbroken(_ text: String) -> String { "\u{1B}[?7l\(text)\r\u{1B}[?7h" }

  /// From the beginning of the line.
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
  /// The text alone.
  var description: String {
    var text = head.map(\.text).joined()
    for field in fields {
      let gap = max(0, field.column - TerminalText.width(text))
      text += String(repeating: " ", count: gap) + field.pieces.map(\.text).joined()
    }
    return text
  }
}
