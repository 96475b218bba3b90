extension Request {
  /// Parses a line without its newline. Trailing blanks, including a carriage return, are ignored.
  ///
  /// Takes time proportional to the length, which must be below `ProtocolLimits.requestLine` bytes.
  package static func parse(line: ArraySlice<UInt8>) throws(RequestError) -> Request {
    guard line.count < ProtocolLimits.requestLine else { throw .lineTooLong }
    guard let first = line.first, first.isLowercaseLetter else { throw .notARequest }
    guard !line.contains(0) else { throw .nulByte }
    guard !line.contains(Byte.newline) else { throw .newline }
    var scanner = Scanner(rest: line.trimmingEnd())
    let name = try scanner.word()
    var arguments: [Argument] = []
    while let argument = try scanner.argument() {
      guard arguments.count < ProtocolLimits.arguments else { throw .tooManyArguments }
      arguments.append(argument)
    }
    return Request(checkedName: name, checkedArguments: arguments)
  }

  /// Parses a line without its newline.
  package static func parse(line: String) throws(RequestError) -> Request {
    try parse(line: Array(line.utf8)[...])
  }
}

extension ArraySlice<UInt8> {
  /// The slice without trailing blanks.
  func trimmingEnd() -> ArraySlice<UInt8> {
    var end = endIndex
    while end > startIndex, self[end - 1].separatesWords { end -= 1 }
    return self[startIndex..<end]
  }

  /// Whether the slice equals the bytes of `word`.
  func isWord(_ word: StaticString) -> Bool {
    guard count == word.utf8CodeUnitCount else { return false }
    return word.withUTF8Buffer { elementsEqual($0) }
  }
}

/// Scans a line without newlines, NULs and trailing blanks.
private struct Scanner {
  var rest: ArraySlice<UInt8>

  /// Reads the command's name. The caller has checked that the line begins with a letter.
  mutating func word() throws(RequestError) -> String {
    let end = rest.firstIndex { !$0.isWordByte } ?? rest.endIndex
    if end < rest.endIndex, !rest[end].separatesWords { throw .invalidWordCharacter }
    let word = String(decoding: rest[..<end], as: UTF8.self)
    rest = rest[end...]
    return word
  }

  /// Reads the next argument; nil at the end of the line.
  mutating func argument() throws(RequestError) -> Argument? {
    rest = rest.drop(while: \.separatesWords)
    guard let first = rest.first else { return nil }
    return first == Byte.quote ? try quoted() : try unquoted()
  }

  private mutating func unquoted() throws(RequestError) -> Argument {
    let end = rest.firstIndex { !$0.needsNoQuotes } ?? rest.endIndex
    if end < rest.endIndex, !rest[end].separatesWords { throw .invalidUnquotedCharacter }
    defer { rest = rest[end...] }
    return Argument(rest[..<end])
  }

  private mutating func quoted() throws(RequestError) -> Argument {
    var bytes: [UInt8] = []
    var index = rest.startIndex + 1
    while index < rest.endIndex, rest[index] != Byte.quote {
      // A backslash escapes the next byte, so a newline cannot be written.
      if rest[index] == Byte.backslash {
        index += 1
        guard index < rest.endIndex else { throw .missingClosingQuote }
      }
      bytes.append(rest[index])
      index += 1
    }
    guard index < rest.endIndex else { throw .missingClosingQuote }
    rest = rest[(index + 1)...]
    if let next = rest.first, !next.separatesWords { throw .spaceExpectedAfterQuote }
    return Argument(bytes)
  }
}
