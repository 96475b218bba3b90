internal import TextFormatting

/// Converts text for a reply line: valid UTF-8 without ASCII control characters, cut to a length.
///
/// python-mpd2 disconnects on a line that is not UTF-8, and a newline would begin a line that is not part of
/// the reply.
enum SanitizedText {
  /// Returns the bytes to send, at most `limit`, without a partial character at the end.
  static func bytes(of bytes: [UInt8], limit: Int) -> [UInt8] {
    if isExact(bytes.span, limit: limit) { return bytes }
    var output: [UInt8] = []
    var rest = bytes[...]
    while let first = rest.first {
      let length = characterLength(at: rest)
      let piece: [UInt8] =
        switch length {
        case 0: escape(first)
        case 1 where first < Byte.blank || first == 0x7F: [Byte.blank]
        default: Array(rest.prefix(length))
        }
      guard piece.count <= limit - output.count else { break }
      output += piece
      rest = rest.dropFirst(max(length, 1))
    }
    return output
  }

  /// Whether the bytes are sent unchanged, as almost all texts are.
  static func isExact(_ bytes: Span<UInt8>, limit: Int) -> Bool { bytes.count <= limit && isExact(bytes) }

  /// Whether the bytes are sent unchanged if the length permits.
  static func isExact(_ bytes: Span<UInt8>) -> Bool {
    bytes.withUnsafeBytes { raw in
      // Eight bytes at a time, since every text of a reply is checked.
      let ones: UInt64 = 0x0101_0101_0101_0101
      let highBits = ones << 7
      var offset = 0
      var seen: UInt64 = 0
      while offset + 8 <= raw.count {
        let word = raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        // Subtracting 0x20 sets a clear high bit in each byte below 0x20. A borrow can set further high bits,
        // but only after such a byte. DEL becomes a zero byte after the XOR with 0x7F.
        let turned = word ^ ones &* 0x7F
        let controls = (word &- ones &* UInt64(Byte.blank)) & ~word | (turned &- ones) & ~turned
        if controls & highBits != 0 { return false }
        seen |= word
        offset += 8
      }
      while offset < raw.count {
        if raw[offset] < Byte.blank || raw[offset] == 0x7F { return false }
        seen |= UInt64(raw[offset])
        offset += 1
      }
      return seen & highBits == 0 || (try? UTF8Span(validating: bytes)) != nil
    }
  }

  /// Returns the length in bytes of the first character; 0 if `bytes` does not begin with valid UTF-8.
  private static func characterLength(at bytes: ArraySlice<UInt8>) -> Int {
    var iterator = bytes.makeIterator()
    var parser = UTF8.ForwardParser()
    guard case .valid(let encoded) = parser.parseScalar(from: &iterator) else { return 0 }
    return encoded.count
  }

  /// Reverses the escapes of `bytes(of:limit:)`: returns `text` with each `\xHH` from `\x80` replaced by its byte.
  /// Returns nil without an escape. Control characters that became blanks stay blanks.
  static func original(of text: [UInt8]) -> [UInt8]? {
    var output: [UInt8] = []
    var rest = text[...]
    while let first = rest.popFirst() {
      let digits = rest.dropFirst().prefix(2)
      // Only bytes that are not ASCII are escaped.
      if first == UInt8(ascii: "\\"), rest.first == UInt8(ascii: "x"), digits.count == 2,
        let byte = UInt8(String(decoding: digits, as: UTF8.self), radix: 16), byte >= 0x80
      {
        output.append(byte)
        rest = rest.dropFirst(3)
      } else {
        output.append(first)
      }
    }
    return output == text ? nil : output
  }

  private static func escape(_ byte: UInt8) -> [UInt8] {
    Array("\\x".utf8) + [PercentEncoding.hexDigit(byte >> 4), PercentEncoding.hexDigit(byte & 0xF)]
  }
}
