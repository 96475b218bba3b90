extension Argument {
  /// Returns the text with Unicode case folding: letters with the same uppercase form become equal, so `ß` is
  /// `ss`. Differs from full folding in a few rare letters; the dotless `ı` does not become `i`.
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
