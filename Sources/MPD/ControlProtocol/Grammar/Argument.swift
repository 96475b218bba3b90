/// An argument of a request or a value of a reply. Bytes rather than text, since file names on Linux need not
/// be UTF-8.
package struct Argument: Hashable, Sendable {
  /// The bytes without the quotes and backslashes of the request.
  package var bytes: [UInt8]

  /// Creates an argument from the bytes.
  package init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

  /// Creates an argument from the UTF-8 bytes of `text`.
  package init(_ text: some StringProtocol) { bytes = Array(text.utf8) }

  /// The bytes as text; `nil` if they are not valid UTF-8.
  package var string: String? { String(validating: bytes, as: UTF8.self) }
}

extension Argument: ExpressibleByStringLiteral {
  /// Creates an argument from the UTF-8 bytes of the literal.
  package init(stringLiteral value: String) { self.init(value) }
}

extension Argument: CustomStringConvertible {
  /// The bytes as text for people and replies: always valid UTF-8 on one line. Other bytes are written
  /// `\xHH`; control characters become blanks.
  package var description: String {
    String(decoding: SanitizedText.bytes(of: bytes, limit: .max), as: UTF8.self)
  }
}
