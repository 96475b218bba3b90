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
