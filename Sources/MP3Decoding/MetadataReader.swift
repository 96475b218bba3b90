import AudioCore

/// Makes `MP3Metadata` of what libmpg123 finds in a file's tags and first frame.
enum MetadataReader {
  /// The largest ID3v2 tag that is read; libmpg123 takes memory for what the tag's header claims, up to 256 MiB.
  static let tagLimit: Int64 = 16 << 20

  static func read(_ source: any ByteSource) throws(DecodingError) -> MP3Metadata {
    let reader = SourceReader(source: source)
    let tagSize = try sizeOfTag(reader)
    let fits = tagSize <= tagLimit && tagSize <= reader.size ?? tagLimit
    let stream = try MP3Stream.open(
      reader, for: fits ? .metadata : .decoding, tagSize: fits ? Int(tagSize) : 0)
    let tags = stream.handle.tags()
    let table = stream.frameTable()
    let audioSize = reader.size.map {
      max(0, $0 - stream.handle.framePosition() - (tags.version1 == nil ? 0 : 128))
    }
    let header = stream.header
    var metadata = MP3Metadata(
      format: stream.format,
      frameCount: table.frameCount(
        bytesLeft: audioSize.map { max(0, $0 - Int64(header.byteCount)) }, bytesPerFrame: header.meanByteCount
      ),
      encoding: MP3Metadata.Encoding(
        version: header.version == 0 ? .mpeg1 : header.version == 1 ? .mpeg2 : .mpeg25,
        layer: Int(header.layer), bitRate: stream.bitRate(of: table, audioSize: audioSize),
        bitRateMode: header.vbr == 1 ? .variable : header.vbr == 2 ? .average : .constant))
    if let bytes = tags.version1 { ID3Text.add(version1: bytes, to: &metadata) }
    ID3Text.add(version2: tags, to: &metadata)
    return metadata
  }

  /// Bytes of the ID3v2 tag at the beginning, by its header; 0 without one.
  private static func sizeOfTag(_ reader: SourceReader) throws(DecodingError) -> Int64 {
    let bytes = try reader.peek(10, at: 0)
    guard bytes.count == 10, bytes.starts(with: Array("ID3".utf8)) else { return 0 }
    // Seven bits of each byte, so that no byte looks like a frame header; without the tag's own header.
    return 10 + bytes[6...9].reduce(Int64(0)) { $0 << 7 | Int64($1 & 0x7F) }
  }
}
