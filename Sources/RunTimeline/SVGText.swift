internal import TextFormatting

/// SVG as text, element by element. What it writes is well-formed whatever comes in, and the same for the same input.
struct SVGText {
  /// The elements so far.
  private(set) var text = ""

  /// The value of an attribute.
  enum Value: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, ExpressibleByFloatLiteral,
    ExpressibleByIntegerLiteral
  {
    case text(String)
    case number(Double)

    init(stringLiteral value: String) { self = .text(value) }
    init(floatLiteral value: Double) { self = .number(value) }
    init(integerLiteral value: Int) { self = .number(Double(value)) }
  }

  typealias Attributes = KeyValuePairs<String, Value>

  /// An element without content, or with a text or a tooltip in it.
  mutating func element(
    _ name: String, _ attributes: Attributes, content: String? = nil, tooltip: String? = nil
  ) {
    open(name, attributes)
    if let tooltip { text += "<title>\(Self.escaped(tooltip))</title>" }
    if let content { text += Self.escaped(content) }
    close(name)
  }

  /// The beginning of an element with others in it.
  mutating func open(_ name: String, _ attributes: Attributes = [:]) {
    text += "<\(name)"
    for (key, value) in attributes {
      text += " \(key)=\""
      switch value {
      case .text(let value): text += Self.escaped(value)
      case .number(let value): text += Self.decimal(value)
      }
      text += "\""
    }
    text += ">"
  }

  /// The end of an element, and of its line.
  mutating func close(_ name: String) { text += "</\(name)>\n" }

  /// Markup that is known to be well-formed.
  mutating func markup(_ markup: StaticString) { text += "\(markup)\n" }

  /// Text as XML 1.0 has it: its special characters as entities, and U+FFFD for those that it cannot carry, and for
  /// all else that would not be seen but change what is.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in TerminalText.sanitized(text).unicodeScalars {
      switch scalar {
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "&": result += "&amp;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      case "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// A number with at most `places` (0 to 6) decimals and no zeros at its end.
  static func decimal(_ value: Double, places: Int = 2) -> String {
    var scale = 1
    for _ in 0..<places { scale *= 10 }
    // Far beyond any drawing, and no trap for what is no number.
    guard value.isFinite, abs(value) < 1e12 else { return "0" }
    let scaled = Int((value * Double(scale)).rounded())
    var result = (scaled < 0 ? "-" : "") + "\(scaled.magnitude / UInt(scale))"
    let fraction = scaled.magnitude % UInt(scale)
    guard fraction > 0 else { return result }
    result += "." + fraction.digits(places)
    while result.last == "0" { result.removeLast() }
    return result
  }
}
