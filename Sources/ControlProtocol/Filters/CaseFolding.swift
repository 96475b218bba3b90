extension Argument {
  /// Unicode's full case folding but for a few rare letters: what becomes the same as a capital is the same, so `ß` is
  /// `ss`; only the `ı` without a dot is no `i`.
  package func foldingCase() -> Argument {
    var text = self
    // Nearly every letter is one of ASCII.
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
