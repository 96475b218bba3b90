package import AudioCore

/// Creates `AudioMetadata` from a file's tags and first frame, as read by libmpg123.
package enum MetadataReader {
  /// Returns the metadata of a source whose bytes are all available.
  package static func read(_ source: any ByteSource) throws(DecodingError) -> AudioMetadata {
    let first = try source.peek(Recognition.length, at: 0) ?? []
    try Recognition.refuseOtherFormats(first)
    let tagSize = Recognition.tagLength(first) ?? 0
    let fits = tagSize <= min(ID3Frames.tagLimit, source.size ?? .max)
    let reader =
      fits
      ? try FrameReader(source: source, for: .metadata, budget: FrameReader.searchBudget + Int(tagSize))
      : try FrameReader(source: source, for: .decoding, beginning: tagSize)
    do throws(DecodingError) {
      guard case .frame = try reader.next() else { throw MP3Opening.noAudio }
    } catch {
      throw error.reason == .decodeFailed ? MP3Opening.noAudio : error
    }
    let endTag = try ID3Text.version1(of: source)
    let frame = reader.frame
    let bytesLeft = source.size.map { max(0, $0 - frame.end - (endTag == nil ? 0 : 128)) }
    var metadata = AudioMetadata(
      format: frame.format,
      frameCount: reader.frameTable.frameCount(
        bytesLeft: bytesLeft, bytesPerFrame: reader.header.meanByteCount))
    if let endTag { ID3Text.add(version1: endTag, to: &metadata) }
    ID3Text.add(version2: reader.tags, to: &metadata)
    return metadata
  }
}
