import AudioCore

/// Reads the comments and pictures in the metadata blocks of a FLAC file.
enum FLACBlocks {
  private static let commentType: UInt8 = 4
  private static let pictureType: UInt8 = 6
  private static let blockLimit = 1024

  /// Returns the length of the file up to the end of the last metadata block. If `bytes` are too short to find that
  /// end, returns the length up to the end of the next block's header.
  static func length(beginning bytes: [UInt8]) -> Int {
    var offset = 4
    for _ in 0..<blockLimit {
      guard bytes.count >= offset + 4 else { return offset + 4 }
      let isLast = bytes[offset] & 0x80 != 0
      offset += 4 + bytes[offset + 1..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
      if isLast { break }
    }
    return offset
  }

  static func read(_ source: any ByteSource, base: Int64) throws(DecodingError) -> MediaTag {
    var tag = MediaTag()
    var offset = base + 4
    var left = SoundFileTags.limit
    for _ in 0..<blockLimit {
      guard let header = try source.peek(4, at: offset), header.count == 4 else { break }
      let length = header[1...].reduce(0) { $0 << 8 | Int($1) }
      let type = header[0] & 0x7F
      if type == commentType || type == pictureType, length <= left {
        left -= length
        guard let block = try source.peek(length, at: offset + 4) else { break }
        if type == commentType {
          tag.fields.insert(contentsOf: VorbisComments.fields(block[...]), at: 0)
        } else if let picture = VorbisComments.picture(block[...]) {
          tag.fields.append(picture)
        }
      }
      // The first bit marks the last block.
      guard header[0] & 0x80 == 0 else { break }
      offset += 4 + Int64(length)
    }
    return tag
  }
}
