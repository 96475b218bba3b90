/// Decodes text from servers that do not name its encoding.
package enum LenientText {
  /// Decodes UTF-8 if valid, else Latin-1: stations write their names in either.
  package static func read(_ bytes: some Collection<UInt8>) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    var text = ""
    for byte in bytes { text.unicodeScalars.append(Unicode.Scalar(byte)) }
    return text
  }

  /// Decodes text, replaces control characters with blanks, and trims the ends.
  package static func clean(_ bytes: some Collection<UInt8>) -> String {
    var text = read(bytes)
    text.unicodeScalars = String.UnicodeScalarView(
      text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 })
    return text.trimmedOfBlanks
  }
}
