/// Parses an expression in parentheses:
///
///     expression = "(" condition ")" | "(!" expression ")" | "(" expression { "AND" expression } ")"
///
/// with blanks allowed between all parts. Takes time proportional to the length.
struct FilterParser {
  private var rest: ArraySlice<UInt8>
  private var depth = 0

  static func expression(_ argument: Argument) throws(Ack) -> FilterExpression {
    var parser = FilterParser(rest: argument.bytes[...])
    let expression = try parser.expression()
    guard parser.rest.isEmpty else { throw Ack(.argument, "Unparsed garbage after expression") }
    return expression
  }

  private mutating func expression() throws(Ack) -> FilterExpression {
    guard depth < ProtocolLimits.filterDepth else { throw Ack(.argument, "Too many nested parentheses") }
    depth += 1
    defer { depth -= 1 }
    guard take("(") else { throw Ack(.argument, "'(' expected") }
    let expression: FilterExpression
    if rest.first == Byte.openingParenthesis {
      expression = try conjunction()
    } else if take("!") {
      expression = .not(try self.expression())
    } else {
      expression = try condition()
    }
    guard take(")") else { throw Ack(.argument, "')' expected") }
    return expression
  }

  private mutating func conjunction() throws(Ack) -> FilterExpression {
    var parts = [try expression()]
    while rest.first != Byte.closingParenthesis {
      guard try word(while: \.isLetter).isWord("AND") else { throw Ack(.argument, "'AND' expected") }
      parts.append(try expression())
    }
    return parts.count == 1 ? parts[0] : .all(parts)
  }

  private mutating func condition() throws(Ack) -> FilterExpression {
    let name = Argument(try word { $0.isLetter || $0 == Byte.underscore || $0 == Byte.minus })
    guard let subject = FilterSubject(name) else { throw Ack(.argument, "Unknown filter type: \(name)") }
    switch subject {
    case .tag(let type): return try text { .tag(type, $0) }
    case .file: return try text { .file(named: $0) }
    case .base: return .named(try quoted()) { .base($0) }
    case .modifiedSince: return .modifiedSince(try TimeStamp.seconds(try quoted()))
    case .audioFormat:
      if take("==") { return .audioFormat(try AudioFormatMask(try quoted(), allowsAny: false)) }
      if take("=~") { return .audioFormat(try AudioFormatMask(try quoted(), allowsAny: true)) }
      throw Ack(.argument, "'==' or '=~' expected")
    }
  }

  private mutating func text(_ condition: (TextTest) -> FilterExpression) throws(Ack) -> FilterExpression {
    if take("==") { return condition(.equals(try quoted())) }
    if take("!=") { return .not(condition(.equals(try quoted()))) }
    if take("contains ") { return condition(.contains(try quoted())) }
    if take("!contains ") { return .not(condition(.contains(try quoted()))) }
    if take("=~") { return condition(.matches(try quoted())) }
    if take("!~") { return .not(condition(.matches(try quoted()))) }
    throw Ack(.argument, "'==' or '!=' expected")
  }

  /// Returns the text between two `'` or two `"`, in which a backslash escapes the next character.
  private mutating func quoted() throws(Ack) -> Argument {
    guard let quote = rest.first, quote == Byte.quote || quote == Byte.apostrophe else {
      throw Ack(.argument, "Quoted string expected")
    }
    rest.removeFirst()
    var bytes: [UInt8] = []
    while var byte = rest.popFirst() {
      if byte == quote {
        skipBlanks()
        return Argument(bytes)
      }
      if byte == Byte.backslash {
        guard let next = rest.popFirst() else { break }
        byte = next
      }
      bytes.append(byte)
      guard bytes.count <= ProtocolLimits.filterValue else {
        throw Ack(.argument, "Quoted value is too long")
      }
    }
    throw Ack(.argument, "Closing quote not found")
  }

  private mutating func word(while isPart: (UInt8) -> Bool) throws(Ack) -> ArraySlice<UInt8> {
    let word = rest.prefix(while: isPart)
    guard !word.isEmpty else { throw Ack(.argument, "Word expected") }
    rest = rest[word.endIndex...]
    skipBlanks()
    return word
  }

  /// Removes the symbol, ignoring case, and the blanks after it. Returns false if something else comes next.
  private mutating func take(_ symbol: StaticString) -> Bool {
    let length = symbol.utf8CodeUnitCount
    let comesNext = symbol.withUTF8Buffer { symbol in
      rest.prefix(length).lazy.map(\.lowercased).elementsEqual(symbol)
    }
    guard comesNext else { return false }
    rest = rest.dropFirst(length)
    skipBlanks()
    return true
  }

  private mutating func skipBlanks() { rest = rest.drop(while: \.separatesWords) }
}

extension UInt8 {
  fileprivate var isLetter: Bool { lowercased.isLowercaseLetter }
}
