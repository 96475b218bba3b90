/// A JSON value whose objects keep the order of their keys.
package enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  /// The digits, which are printed unchanged, so that no number is rounded.
  case number(String)
  case string(String)
  case array([JSONValue])
  case object([Member])

  package struct Member: Hashable, Sendable {
    package var key: String
    package var value: JSONValue

    package init(key: String, value: JSONValue) {
      self.key = key
      self.value = value
    }
  }

  package static func object(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
    .object(members.map { Member(key: $0, value: $1) })
  }

  package static func number(_ number: some BinaryInteger) -> JSONValue { .number(String(number)) }

  /// Returns a number as a server wrote it: unchanged if it fits JSON's grammar without an exponent,
  /// otherwise as a string. `null` for nil.
  package static func number(written text: String?) -> JSONValue {
    guard let text else { return .null }
    return isNumber(text) ? .number(text) : .string(text)
  }

  package static func string(optional text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

  /// Whether `text` is a number in JSON's grammar without an exponent.
  private static func isNumber(_ text: String) -> Bool {
    let parts = (text.first == "-" ? text.dropFirst() : text[...]).split(
      separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    return parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
      && (parts[0] == "0" || parts[0].first != "0")
  }

  /// The value as one line of JSON, with its line feed.
  package var line: [UInt8] {
    var bytes: [UInt8] = []
    append(to: &bytes)
    bytes.append(UInt8(ascii: "\n"))
    return bytes
  }

  package func append(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes.append(contentsOf: "null".utf8)
    case .bool(let isTrue): bytes.append(contentsOf: (isTrue ? "true" : "false").utf8)
    case .number(let digits): bytes.append(contentsOf: digits.utf8)
    case .string(let text): bytes.appendJSON(text)
    case .array(let values): Self.append(values, between: "[", "]", to: &bytes) { $0.append(to: &$1) }
    case .object(let members):
      Self.append(members, between: "{", "}", to: &bytes) { member, bytes in
        bytes.appendJSON(member.key)
        bytes.append(UInt8(ascii: ":"))
        member.value.append(to: &bytes)
      }
    }
  }

  private static func append<Element>(
    _ elements: [Element], between first: Unicode.Scalar, _ last: Unicode.Scalar, to bytes: inout [UInt8],
    _ append: (Element, inout [UInt8]) -> Void
  ) {
    bytes.append(UInt8(ascii: first))
    for (index, element) in elements.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      append(element, &bytes)
    }
    bytes.append(UInt8(ascii: last))
  }
}

extension [UInt8] {
  /// Appends a JSON string (RFC 8259, section 7). A Swift string is valid Unicode, so its bytes need no
  /// check; invalid bytes of file names were replaced when the string was made. All control characters are
  /// escaped, also those that JSON permits, because a terminal may obey them. U+FEFF is escaped too:
  /// Foundation's JSONSerialization (Swift 6.3, Linux) drops it at a string's beginning and after an escape.
  mutating func appendJSON(_ text: String) {
    append(UInt8(ascii: "\""))
    var mayBeControl = false
    for byte in text.utf8 {
      if mayBeControl, byte < 0xA0 {
        // U+0080…U+009F: the first byte, 0xC2, was appended already.
        removeLast()
        appendEscape(byte)
        mayBeControl = false
        continue
      }
      mayBeControl = byte == 0xC2
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        append(UInt8(ascii: "\\"))
        append(byte)
      case 0x0A: append(contentsOf: "\\n".utf8)
      case 0x0D: append(contentsOf: "\\r".utf8)
      case 0x09: append(contentsOf: "\\t".utf8)
      case 0..<0x20, 0x7F: appendEscape(byte)
      case 0xBF where suffix(2) == [0xEF, 0xBB]:
        removeLast(2)
        append(contentsOf: "\\ufeff".utf8)
      default: append(byte)
      }
    }
    append(UInt8(ascii: "\""))
  }

  private mutating func appendEscape(_ code: UInt8) {
    append(contentsOf: "\\u00".utf8)
    for digit in [code >> 4, code & 15] {
      append((digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "W")) + digit)
    }
  }
}
