/// A request line: the name of a command and its arguments.
///
/// Each request can be written as a line, and parsing the line returns an equal request.
package struct Request: Hashable, Sendable {
  /// The command's name: a letter a–z, then letters, digits and underscores.
  package let name: String
  /// The arguments, at most `ProtocolLimits.arguments`, without newlines and NULs.
  package let arguments: [Argument]

  /// Creates a request for sending.
  ///
  /// - Throws: A `RequestError` if the line would be invalid: a bad name, an argument with a newline or NUL,
  ///   too many arguments or a line that is too long.
  package init(_ name: String, _ arguments: [Argument] = []) throws(RequestError) {
    guard let first = name.utf8.first, first.isLowercaseLetter else { throw .notARequest }
    guard name.utf8.allSatisfy(\.isWordByte) else { throw .invalidWordCharacter }
    guard arguments.count <= ProtocolLimits.arguments else { throw .tooManyArguments }
    for argument in arguments {
      if argument.bytes.contains(0) { throw .nulByte }
      if argument.bytes.contains(Byte.newline) { throw .newline }
    }
    self.init(checkedName: name, checkedArguments: arguments)
    var line: [UInt8] = []
    write(into: &line)
    guard line.count <= ProtocolLimits.requestLine else { throw .lineTooLong }
  }

  init(checkedName: String, checkedArguments: [Argument]) {
    name = checkedName
    arguments = checkedArguments
  }

  /// Appends the line with its newline. Arguments are quoted only where necessary.
  package func write(into line: inout [UInt8]) {
    line.append(contentsOf: name.utf8)
    for argument in arguments {
      line.append(Byte.blank)
      Self.write(argument.bytes, into: &line)
    }
    line.append(Byte.newline)
  }

  private static func write(_ bytes: [UInt8], into line: inout [UInt8]) {
    if !bytes.isEmpty, bytes.allSatisfy(\.needsNoQuotes) {
      line.append(contentsOf: bytes)
      return
    }
    line.append(Byte.quote)
    for byte in bytes {
      if byte == Byte.quote || byte == Byte.backslash { line.append(Byte.backslash) }
      line.append(byte)
    }
    line.append(Byte.quote)
  }
}

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
}

extension ArraySlice<UInt8> {
  func trimmingEnd() -> ArraySlice<UInt8> {
    var end = endIndex
    while end > startIndex, self[end - 1].separatesWords { end -= 1 }
    return self[startIndex..<end]
  }

  func isWord(_ word: StaticString) -> Bool {
    guard count == word.utf8CodeUnitCount else { return false }
    return word.withUTF8Buffer { elementsEqual($0) }
  }
}

/// Scans a line without newlines, NULs and trailing blanks.
private struct Scanner {
  var rest: ArraySlice<UInt8>

  /// Returns the command's name. The caller has checked that the line begins with a letter.
  mutating func word() throws(RequestError) -> String {
    let end = rest.firstIndex { !$0.isWordByte } ?? rest.endIndex
    if end < rest.endIndex, !rest[end].separatesWords { throw .invalidWordCharacter }
    let word = String(decoding: rest[..<end], as: UTF8.self)
    rest = rest[end...]
    return word
  }

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
      // A backslash escapes the next byte, so `\n` is the letter n and not a newline.
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
