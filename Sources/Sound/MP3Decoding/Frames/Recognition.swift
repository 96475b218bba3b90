import AudioCore

/// Rejects files of other types before libmpg123 searches them for frames. PCM and compressed data often
/// contain two bytes that look like a header, and sometimes two consistent headers. Noise would then be
/// played.
package enum Recognition {
  /// The number of bytes examined at the beginning of a source.
  package static let length = 64

  /// Throws if a source with these first bytes (`length` of them, or fewer at the end) is empty, or a FLAC,
  /// Ogg or MP4 file, or a WAV file whose first chunk is `fmt ` and states a format other than MPEG audio.
  static func refuseOtherFormats(_ bytes: [UInt8]) throws(DecodingError) {
    guard !bytes.isEmpty else { throw DecodingError(reason: .notRecognized, message: "The file is empty.") }
    func has(_ text: String, at offset: Int = 0) -> Bool { bytes.dropFirst(offset).starts(with: text.utf8) }
    let name: String
    if has("RIFF"), has("WAVE", at: 8) {
      // WAV may contain MPEG audio (format tags 0x50 and 0x55), which libmpg123 finds.
      guard has("fmt ", at: 12), bytes.count > 21, bytes[21] != 0 || (bytes[20] != 0x50 && bytes[20] != 0x55)
      else { return }
      name = "a WAV file"
    } else {
      let others = [("fLaC", 0, "a FLAC file"), ("OggS", 0, "an Ogg file"), ("ftyp", 4, "an MP4 file")]
      guard let other = others.first(where: { has($0.0, at: $0.1) }) else { return }
      name = other.2
    }
    throw DecodingError(reason: .notRecognized, message: "This is \(name), not MPEG audio.")
  }

  /// Returns whether a tag begins at `offset`, so that the bytes there are not damage.
  static func isTag(_ source: any ByteSource, at offset: Int64) -> Bool {
    guard let bytes = try? source.peek(8, at: offset) else { return false }
    return ["ID3", "TAG", "APETAGEX", "LYRICS"].contains { bytes.starts(with: $0.utf8) }
  }

  /// Returns the end of the ID3v2 or APE tag at `offset`; nil if none begins there or its header is missing.
  static func tagEnd(_ source: any ByteSource, at offset: Int64) -> Int64? {
    guard let bytes = try? source.peek(32, at: offset) else { return nil }
    if let length = tagLength(bytes) { return offset + length }
    guard bytes.count == 32, bytes.starts(with: Array("APETAGEX".utf8)) else { return nil }
    return offset + 32 + bytes[12..<16].reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) }
  }

  /// Returns the length of the ID3v2 tag, of any version, that begins with these bytes; nil for other data.
  package static func tagLength(_ bytes: [UInt8]) -> Int64? {
    guard bytes.count >= 10, bytes.starts(with: Array("ID3".utf8)), bytes[3] != 0xFF, bytes[4] != 0xFF,
      bytes[6..<10].allSatisfy({ $0 < 0x80 })
    else { return nil }
    let hasFooter = bytes[5] & 0x10 != 0
    // Each byte holds seven bits, so that no byte looks like the start of a frame header.
    return bytes[6..<10].reduce(Int64(0)) { $0 << 7 | Int64($1) } + (hasFooter ? 20 : 10)
  }
}
