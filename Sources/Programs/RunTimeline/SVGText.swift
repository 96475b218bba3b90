internal import TextFormatting

/// A builder of SVG text. Its output is well-formed for every input, and the same for the same input.
struct SVGText {
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

  /// Appends an element, optionally with a text or a tooltip.
  mutating func element(
    _ name: String, _ attributes: Attributes, content: String? = nil, tooltip: String? = nil
  ) {
    open(name, attributes)
    if let tooltip { text += "<title>\(Self.escaped(tooltip))</title>" }
    if let content { text += Self.escaped(content) }
    close(name)
  }

  /// Appends a rectangle of the class `style`; coordinates in SVG user units.
  mutating func rectangle(
    x: Double, y: Double, width: Double, height: Double, _ style: String, tooltip: String? = nil
  ) {
    let attributes: Attributes = [
      "x": .number(x), "y": .number(y), "width": .number(width), "height": .number(height),
      "class": .text(style),
    ]
    element("rect", attributes, tooltip: tooltip)
  }

  /// Appends a vertical line.
  mutating func line(x: Double, from top: Double, to bottom: Double, _ style: String, tooltip: String? = nil)
  {
    let attributes: Attributes = [
      "x1": .number(x), "x2": .number(x), "y1": .number(top), "y2": .number(bottom), "class": .text(style),
    ]
    element("line", attributes, tooltip: tooltip)
  }

  mutating func path(_ data: String, _ style: String, tooltip: String? = nil) {
    element("path", ["d": .text(data), "class": .text(style)], tooltip: tooltip)
  }

  mutating func label(_ text: String, x: Double, y: Double, _ style: String) {
    element("text", ["x": .number(x), "y": .number(y), "class": .text(style)], content: text)
  }

  /// Appends the start tag of an element that contains others.
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

  mutating func close(_ name: String) { text += "</\(name)>\n" }

  /// Appends markup that is known to be well-formed.
  mutating func markup(_ markup: StaticString) { text += "\(markup)\n" }

  /// Returns a text escaped for XML 1.0: special characters become entities. Characters that XML cannot carry
  /// and invisible ones that change other text become U+FFFD or a space.
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

  /// Returns a number with at most `places` (0…6) decimals and without trailing zeros. Returns `0` for a
  /// number that is not finite, or whose magnitude is 10¹² or more.
  static func decimal(_ value: Double, places: Int = 2) -> String {
    var scale = 1
    for _ in 0..<places { scale *= 10 }
    // NaN and infinity would trap in the conversion to Int. No drawing comes near 1e12.
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
