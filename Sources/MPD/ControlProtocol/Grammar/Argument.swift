/// An argument of a request or a value of a reply. Bytes rather than text, since file names on Linux need not
/// be UTF-8.
package struct Argument: Hashable, Sendable {
  /// The bytes without the quotes and backslashes of the request.
  package var bytes: [UInt8]

  package init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

  package init(_ text: some StringProtocol) { bytes = Array(text.utf8) }

  /// The bytes as text; `nil` if they are not valid UTF-8.
  package var string: String? { String(validating: bytes, as: UTF8.self) }
}

extension Argument: ExpressibleByStringLiteral {
  package init(stringLiteral value: String) { self.init(value) }
}

extension Argument: CustomStringConvertible {
  /// The bytes as text for people and replies, valid UTF-8 on one line. Bytes that are not UTF-8 are written
  /// `\xHH`; ASCII control characters become blanks.
  package var description: String {
    String(decoding: SanitizedText.bytes(of: bytes, limit: .max), as: UTF8.self)
  }

  /// The name that replies show as this text because its bytes are not UTF-8: each `\xHH` from `\x80` is one byte.
  /// Nil if the text has none. Control characters that a reply shows as blanks are not restored.
  package var original: Argument? { SanitizedText.original(of: bytes).map { Argument($0) } }
}

extension Argument {
  /// Returns the text with Unicode case folding: letters with the same uppercase form become equal, so `ß` is
  /// `ss`. Differs from full folding in a few rare letters; the dotless `ı` does not become `i`. Bytes that are not
  /// UTF-8 become U+FFFD.
  package func foldingCase() -> Argument {
    var text = self
    // ASCII first: almost all letters are ASCII.
    for (index, byte) in text.bytes.enumerated() where (0x41...0x5A).contains(byte) {
      text.bytes[index] = byte | 0x20
    }
    guard text.bytes.contains(where: { $0 >= 0x80 }) else { return text }
    var result: [UInt8] = []
    result.reserveCapacity(text.bytes.count)
    for letter in String(decoding: text.bytes, as: UTF8.self).unicodeScalars {
      if letter.isASCII || letter == "\u{131}" {
        result.append(contentsOf: UTF8.encode(letter) ?? UTF8.encodedReplacementCharacter)
        continue
      }
      for capital in letter.properties.uppercaseMapping.unicodeScalars {
        result.append(contentsOf: capital.properties.lowercaseMapping.utf8)
      }
    }
    return Argument(result)
  }
}
