import AudioCore
import MP3Decoding

/// Reads the tags of a WAV or AIFF file: a chunk with an ID3 tag, and the chunks of text.
enum ChunkTags {
  private static let chunkLimit = 4096
  /// The texts of WAV's INFO list and of AIFF, under the identifiers of ID3.
  private static let names = [
    "INAM": "TIT2", "IART": "TPE1", "IPRD": "TALB", "IGNR": "TCON", "ICRD": "TDRC", "ITRK": "TRCK",
    "IPRT": "TRCK", "ICMT": "COMM", "ICOP": "TCOP", "ISFT": "TSSE", "IMUS": "TCOM",
    "NAME": "TIT2", "AUTH": "TPE1", "(c) ": "TCOP", "ANNO": "COMM",
  ]

  static func read(_ source: any ByteSource) throws(DecodingError) -> MediaTag {
    let isBigEndian = SoundFileKind.hasBigEndianChunks(try source.peek(4, at: 0) ?? [])
    var tag = MediaTag()
    var texts: [MediaTag.Field] = []
    var offset: Int64 = 12
    for _ in 0..<chunkLimit {
      guard let header = try source.peek(8, at: offset), header.count == 8 else { break }
      var reader = BlockReader(header[4...], isBigEndian: isBigEndian)
      let size = reader.number() ?? 0
      let name = String(decoding: header[..<4], as: UTF8.self)
      if name.uppercased() == "ID3 " || name == "LIST" || names[name] != nil, size <= SoundFileTags.limit,
        let chunk = try source.peek(size, at: offset + 8)
      {
        if name.uppercased() == "ID3 " {
          tag = MediaTag(front: chunk)
        } else if name == "LIST" {
          texts += list(chunk, isBigEndian: isBigEndian)
        } else {
          texts += field(name, chunk[...])
        }
      }
      // Chunks are padded to even lengths.
      offset += 8 + Int64(size + size % 2)
    }
    // The ID3 tag takes precedence.
    let known = Set(tag.fields.map(\.key))
    tag.fields += texts.filter { !known.contains($0.key) }
    return tag
  }

  /// Returns the texts of WAV's INFO list.
  private static func list(_ chunk: [UInt8], isBigEndian: Bool) -> [MediaTag.Field] {
    guard chunk.starts(with: "INFO".utf8) else { return [] }
    var fields: [MediaTag.Field] = []
    var reader = BlockReader(chunk[4...], isBigEndian: isBigEndian)
    while fields.count < VorbisComments.limit, let name = reader.bytes(4), let size = reader.number(),
      let text = reader.bytes(size)
    {
      fields += field(String(decoding: name, as: UTF8.self), text)
      if size % 2 == 1 { _ = reader.bytes(1) }
    }
    return fields
  }

  private static func field(_ name: String, _ bytes: ArraySlice<UInt8>) -> [MediaTag.Field] {
    let text = bytes.prefix { $0 != 0 }.prefix(ID3Fields.textLimit)
    guard let key = names[name], !text.isEmpty else { return [] }
    let string = String(validating: text, as: UTF8.self) ?? ID3TextReader.latin1(text)
    return [MediaTag.Field(key: key, value: .text(string))]
  }
}
