/// Text of a server that does not say how it is encoded.
package enum LenientText {
  /// UTF-8 if it is that, else Latin-1: stations write their names in either.
  package static func read(_ bytes: some Collection<UInt8>) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    var text = ""
    for byte in bytes { text.unicodeScalars.append(Unicode.Scalar(byte)) }
    return text
  }

  /// The same without control characters, and without blanks at its ends.
  package static func clean(_ bytes: some Collection<UInt8>) -> String {
    var text = read(bytes)
    text.unicodeScalars = String.UnicodeScalarView(
      text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 })
    return text.trimmedOfBlanks
  }
}
