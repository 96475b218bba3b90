import AudioCore

/// Tells other kinds of files from MPEG audio before libmpg123 searches them for something like a frame.
///
/// In PCM samples and in compressed data two bytes that look like a header come often, and two headers that fit
/// each other do come: then noise would be played.
enum Recognition {
  static func refuseOtherFormats(_ reader: SourceReader) throws(DecodingError) {
    let bytes = try reader.peek(64, at: 0)
    guard !bytes.isEmpty else { throw DecodingError(reason: .notRecognized, message: "The file is empty.") }
    func has(_ text: StaticString, at offset: Int = 0) -> Bool {
      guard bytes.count >= offset + text.utf8CodeUnitCount else { return false }
      return text.withUTF8Buffer { $0.elementsEqual(bytes[offset..<offset + $0.count]) }
    }
    let name: String
    if has("RIFF"), has("WAVE", at: 8) {
      // WAV may wrap MPEG audio (format tags 0x50 and 0x55), which libmpg123 finds.
      guard has("fmt ", at: 12), bytes.count > 21, bytes[21] != 0 || (bytes[20] != 0x50 && bytes[20] != 0x55)
      else { return }
      name = "a WAV file"
    } else if has("fLaC") {
      name = "a FLAC file"
    } else if has("OggS") {
      name = "an Ogg file"
    } else if has("ftyp", at: 4) {
      name = "an MP4 file"
    } else {
      return
    }
    throw DecodingError(reason: .notRecognized, message: "This is \(name), not MPEG audio.")
  }

  /// Whether a tag begins at `offset`, so that bytes there are not damage.
  static func isTag(_ reader: SourceReader, at offset: Int64) -> Bool {
    guard let bytes = try? reader.peek(8, at: offset) else { return false }
    let tags: [StaticString] = ["ID3", "TAG", "APETAGEX", "LYRICS"]
    return tags.contains { tag in
      tag.withUTF8Buffer { $0.elementsEqual(bytes.prefix($0.count)) }
    }
  }
}
