/// One argument of a request, or one value of a reply: bytes, since a file name on Linux is bytes and need not be
/// UTF-8.
package struct Argument: Hashable, Sendable {
  /// The bytes, without quotes and without backslashes that only protected them.
  package var bytes: [UInt8]

  /// Takes the bytes as they are.
  package init(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
  }

  /// The UTF-8 bytes of `text`.
  package init(_ text: some StringProtocol) {
    bytes = Array(text.utf8)
  }

  /// The bytes as text; `nil` if they are not valid UTF-8.
  package var string: String? {
    String(validating: bytes, as: UTF8.self)
  }
}

extension Argument: ExpressibleByStringLiteral {
  /// The UTF-8 bytes of the literal.
  package init(stringLiteral value: String) {
    self.init(value)
  }
}

extension Argument: CustomStringConvertible {
  /// The bytes as text for a person or for a reply: always valid UTF-8, on one line. What is not UTF-8 is written
  /// `\xHH`, control characters become blanks.
  package var description: String {
    String(decoding: SanitizedText.bytes(of: bytes, limit: .max), as: UTF8.self)
  }
}
