/// Converts text for a reply line: valid UTF-8 without control characters, cut to a length.
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
      let length = UTF8Sequence.length(at: rest)
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
        // Subtracting 0x20 sets a clear high bit only in a byte below 0x20. DEL becomes a zero byte after the
        // XOR with 0x7F.
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

  private static func escape(_ byte: UInt8) -> [UInt8] {
    Array("\\x".utf8) + [hexDigit(byte >> 4), hexDigit(byte & 0xF)]
  }

  static func hexDigit(_ nibble: UInt8) -> UInt8 { nibble < 10 ? 0x30 + nibble : 0x41 + nibble - 10 }
}

/// The lengths of byte sequences in UTF-8 (table 3-7 of the Unicode standard).
enum UTF8Sequence {
  /// Returns the length of the character at the beginning of `bytes`; 0 if the sequence is invalid.
  static func length(at bytes: ArraySlice<UInt8>) -> Int {
    let start = bytes.startIndex
    guard let first = bytes.first else { return 0 }
    let length: Int
    let second: ClosedRange<UInt8>
    switch first {
    case 0x00...0x7F: return 1
    case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    default: return 0
    }
    guard bytes.count >= length, second.contains(bytes[start + 1]) else { return 0 }
    let tail = bytes[(start + 2)..<max(start + 2, start + length)]
    return tail.allSatisfy { (0x80...0xBF).contains($0) } ? length : 0
  }
}
