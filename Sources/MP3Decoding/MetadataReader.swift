import AudioCore

/// Makes `MP3Metadata` of what libmpg123 finds in a file's tags and first frame.
enum MetadataReader {
  /// The largest ID3v2 tag that is read; libmpg123 takes memory for what the tag's header claims, up to 256 MiB.
  static let tagLimit: Int64 = 16 << 20

  /// Reads a source whose bytes are all there.
  static func read(_ source: any ByteSource) throws(DecodingError) -> MP3Metadata {
    let first = try source.peek(Recognition.length, at: 0) ?? []
    try Recognition.refuseOtherFormats(first)
    let tagSize = Recognition.tagLength(first) ?? 0
    let fits = tagSize <= tagLimit && tagSize <= source.size ?? tagLimit
    let reader =
      fits
      ? try FrameReader(
        source: source, for: .metadata, budget: FrameReader.searchBudget + Int(tagSize))
      : try FrameReader(source: source, for: .decoding, beginning: tagSize)
    do throws(DecodingError) {
      guard case .frame = try reader.next() else { throw MP3Opening.noAudio }
    } catch {
      throw error.reason == .decodeFailed ? MP3Opening.noAudio : error
    }
    var metadata = MP3Metadata(
      format: reader.frame.format, frameCount: .unknown, encoding: encoding(of: reader.header))
    let endTag = try endTag(of: source)
    addLength(to: &metadata, reader: reader, hasEndTag: endTag != nil)
    if let endTag { ID3Text.add(version1: endTag, to: &metadata) }
    ID3Text.add(version2: reader.tags, to: &metadata)
    return metadata
  }

  /// The 128 bytes of the ID3v1 tag at the end; nil without one.
  private static func endTag(of source: any ByteSource) throws(DecodingError) -> [UInt8]? {
    guard let size = source.size, size >= 128, let bytes = try source.peek(128, at: size - 128),
      bytes.count == 128, bytes.starts(with: Array("TAG".utf8))
    else { return nil }
    return bytes
  }

  private static func encoding(of header: FrameHeader) -> MP3Metadata.Encoding {
    let bitRate =
      header.meanByteCount * 8 * Double(header.sampleRate) / Double(max(header.samplesPerFrame, 1))
    return MP3Metadata.Encoding(
      version: header.version == 0 ? .mpeg1 : header.version == 1 ? .mpeg2 : .mpeg25,
      layer: Int(header.layer), bitRate: Int(bitRate.rounded()),
      bitRateMode: header.vbr == 1 ? .variable : header.vbr == 2 ? .average : .constant)
  }

  private static func addLength(to metadata: inout MP3Metadata, reader: FrameReader, hasEndTag: Bool) {
    let frame = reader.frame
    let audioSize = reader.source.size.map { max(0, $0 - frame.start - (hasEndTag ? 128 : 0)) }
    metadata.frameCount = reader.frameTable.frameCount(
      bytesLeft: audioSize.map { max(0, $0 - Int64(frame.byteCount)) },
      bytesPerFrame: reader.header.meanByteCount)
    if case .exact(let count) = metadata.frameCount, count > 0, let audioSize {
      let seconds = Double(count) / Double(metadata.format.sampleRate)
      metadata.encoding.bitRate = Int(min(Double(audioSize) * 8 / seconds, 1e12).rounded())
    }
  }
}
