package import AudioCore

/// Creates `AudioMetadata` from a file's tags and first frame.
package enum MetadataReader {
  /// Returns the metadata of a source whose bytes are all available. Throws if the source cannot be read or has
  /// no MPEG audio. May block on a local disk.
  package static func read(_ source: any ByteSource) throws(DecodingError) -> AudioMetadata {
    let first = try source.peek(Recognition.length, at: 0) ?? []
    try Recognition.refuseOtherFormats(first)
    let reader = try FrameReader(source: source, beginning: Recognition.tagLength(first) ?? 0)
    do throws(DecodingError) {
      guard case .frame = try reader.next() else { throw MP3Opening.noAudio }
    } catch {
      throw error.reason == .decodeFailed ? MP3Opening.noAudio : error
    }
    let hasEndTag = try ID3Text.version1(of: source) != nil
    let frame = reader.frame
    let bytesLeft = source.size.map { max(0, $0 - frame.end - (hasEndTag ? 128 : 0)) }
    return AudioMetadata(
      try ID3Fields.readTag(source), format: frame.format,
      frameCount: reader.frameTable.frameCount(
        bytesLeft: bytesLeft, bytesPerFrame: reader.header.meanByteCount))
  }
}
