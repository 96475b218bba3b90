/// One request line: the name of a command and its arguments.
///
/// A value of this type can always be written and is read back as the same value.
package struct Request: Hashable, Sendable {
  /// The command's name: a letter a–z, then letters, digits and underscores.
  package let name: String
  /// The arguments, at most `ProtocolLimits.arguments`, none with a newline or NUL.
  package let arguments: [Argument]

  /// Makes a request for sending.
  ///
  /// Throws a `RequestError` if the grammar cannot express it: a bad name, an argument with a newline or NUL, too
  /// many arguments or a line that is too long.
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

  /// For the parser, which has checked them.
  init(checkedName: String, checkedArguments: [Argument]) {
    name = checkedName
    arguments = checkedArguments
  }

  /// Appends the line, newline included, with quotes only where they are needed.
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
