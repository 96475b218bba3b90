import AudioCore
import MP3Decoding

/// Reads the tags of the files that libsndfile decodes. libsndfile itself returns ten texts, one value each,
/// and neither pictures nor other fields. The data is untrusted; truncated fields are left out.
enum SoundFileTags {
  /// The maximum size of a tag, in bytes; in FLAC, of the comments and pictures together.
  static let limit = 16 << 20

  /// Returns the tag of a file that begins at `base`. Bytes that are not available yet count as the end.
  static func read(
    _ source: any ByteSource, _ kind: SoundFileKind, base: Int64
  ) throws(DecodingError) -> MediaTag {
    var tag =
      switch kind {
      case .flac: try FLACBlocks.read(source, base: base)
      case .ogg: try OggComments.read(source)
      case .wav, .aiff: try ChunkTags.read(source)
      case .wave64, .caf: MediaTag()
      }
    if base > 0, let front = try source.peek(Int(min(base, Int64(limit))), at: 0) {
      let known = Set(tag.fields.map(\.key))
      tag.fields += MediaTag(front: front).fields.filter { !known.contains($0.key) }
    }
    return tag
  }

  static func replayGain(
    of source: any ByteSource, _ kind: SoundFileKind, base: Int64
  ) throws(DecodingError) -> ReplayGain {
    ReplayGainTags.levels(of: try read(source, kind, base: base))
  }
}

extension MediaTag {
  /// Creates a tag from the first bytes of an audio file, as far as they reach; empty if they contain none.
  package init(beginning bytes: [UInt8]) {
    let source = StoredBytes(bytes)
    // Bytes in memory are never missing, and reading them does not fail.
    if let content = try? AudioContent.find(in: source), case .soundFile(let kind, let base) = content {
      self = (try? SoundFileTags.read(source, kind, base: base)) ?? MediaTag()
    } else {
      self.init(front: bytes)
    }
  }
}

extension MediaTag {
  /// Returns the number of bytes at the beginning of the file that contain the tag, or that are needed to determine
  /// that number. If the result is at most `bytes.count`, `bytes` contain the tag. Nil for files that have no tag at
  /// the beginning.
  package static func length(beginning bytes: [UInt8]) -> Int? {
    if let length = Recognition.tagLength(bytes) { return Int(length) }
    switch SoundFileKind(bytes) {
    case .flac: return FLACBlocks.length(beginning: bytes)
    case .ogg: return OggComments.length(beginning: bytes)
    default: return nil
    }
  }
}

/// Bytes in memory as a source.
private final class StoredBytes: ByteSource {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var size: Int64? { Int64(bytes.count) }
  let isSeekable = true

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(DecodingError) -> ByteRead {
    guard offset < Int64(bytes.count) else { return .end }
    let part = bytes[Int(offset)...].prefix(buffer.count)
    buffer.copyBytes(from: part)
    return .bytes(part.count)
  }

  func want(from offset: Int64) {}
  func whenBytesCome(_ callback: @escaping @Sendable () -> Void) {}
}
