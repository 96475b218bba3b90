import AudioCore

/// Creates `MP3Metadata` from a file's tags and first frame, as read by libmpg123.
enum MetadataReader {
  /// The maximum ID3v2 tag in bytes. libmpg123 allocates the size that the header claims, up to 256 MiB.
  static let tagLimit: Int64 = 16 << 20

  /// Reads a source whose bytes are all available.
  static func read(_ source: any ByteSource) throws(DecodingError) -> MP3Metadata {
    let first = try source.peek(Recognition.length, at: 0) ?? []
    try Recognition.refuseOtherFormats(first)
    let tagSize = Recognition.tagLength(first) ?? 0
    let fits = tagSize <= tagLimit && tagSize <= source.size ?? tagLimit
    let reader =
      fits
      ? try FrameReader(source: source, for: .metadata, budget: FrameReader.searchBudget + Int(tagSize))
      : try FrameReader(source: source, for: .decoding, beginning: tagSize)
    do throws(DecodingError) {
      guard case .frame = try reader.next() else { throw MP3Opening.noAudio }
    } catch {
      throw error.reason == .decodeFailed ? MP3Opening.noAudio : error
    }
    let endTag = try endTag(of: source)
    let (frame, header) = (reader.frame, reader.header)
    let audioSize = source.size.map { max(0, $0 - frame.start - (endTag == nil ? 0 : 128)) }
    var metadata = MP3Metadata(
      format: frame.format,
      frameCount: reader.frameTable.frameCount(
        bytesLeft: audioSize.map { max(0, $0 - Int64(frame.byteCount)) }, bytesPerFrame: header.meanByteCount
      ),
      encoding: MP3Metadata.Encoding(
        version: header.version == 0 ? .mpeg1 : header.version == 1 ? .mpeg2 : .mpeg25,
        layer: Int(header.layer), bitRate: reader.bitRate(audioSize: audioSize),
        bitRateMode: header.vbr == 1 ? .variable : header.vbr == 2 ? .average : .constant))
    if let endTag { ID3Text.add(version1: endTag, to: &metadata) }
    ID3Text.add(version2: reader.tags, to: &metadata)
    return metadata
  }

  /// Returns the 128 bytes of the ID3v1 tag at the end; nil without one.
  private static func endTag(of source: any ByteSource) throws(DecodingError) -> [UInt8]? {
    guard let size = source.size, size >= 128, let bytes = try source.peek(128, at: size - 128),
      bytes.count == 128, bytes.starts(with: Array("TAG".utf8))
    else { return nil }
    return bytes
  }
}
