/// A request line: the name of a command and its arguments.
///
/// Each value can be written as a line, which parses to an equal value.
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

  /// Creates a request from parts that the parser has checked.
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
