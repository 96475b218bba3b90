import AudioCore
import MP3Decoding

/// The content of a source, which decides the decoder, whatever the name of the file.
enum AudioContent {
  /// MPEG audio, or anything that libsndfile does not decode. `beginning` has the first bytes.
  case mpeg(beginning: [UInt8])
  /// A file for libsndfile that begins at `base`.
  case soundFile(SoundFileKind, base: Int64)

  /// The number of bytes of a WAV file in which its format chunk is searched for.
  private static let searchLimit: Int64 = 1 << 20

  /// Returns the content, recognized by the first bytes of `source`, the first four after an ID3 tag, and the
  /// format chunk of a WAV file. Nil while these bytes are missing.
  static func find(in source: any ByteSource) throws(DecodingError) -> AudioContent? {
    guard let bytes = try source.peek(Recognition.length, at: 0) else { return nil }
    if let end = Recognition.tagLength(bytes) {
      guard let next = try source.peek(4, at: end) else {
        source.want(from: end)
        return nil
      }
      return SoundFileKind(next) == .flac ? .soundFile(.flac, base: end) : .mpeg(beginning: bytes)
    }
    guard let kind = SoundFileKind(bytes) else { return .mpeg(beginning: bytes) }
    if kind == .wav {
      guard let isMPEG = try hasMPEG(source, isBigEndian: SoundFileKind.hasBigEndianChunks(bytes)) else {
        return nil
      }
      if isMPEG { return .mpeg(beginning: bytes) }
    }
    return .soundFile(kind, base: 0)
  }

  /// Returns whether a WAV file contains MPEG audio (format tags 0x50 and 0x55); nil while bytes are missing.
  private static func hasMPEG(
    _ source: any ByteSource, isBigEndian: Bool
  ) throws(DecodingError) -> Bool? {
    var offset: Int64 = 12
    while offset < searchLimit {
      guard let bytes = try source.peek(10, at: offset) else { return nil }
      guard bytes.count == 10 else { return false }
      if bytes.starts(with: "fmt ".utf8) {
        let (high, low) = isBigEndian ? (bytes[8], bytes[9]) : (bytes[9], bytes[8])
        return high == 0 && (low == 0x50 || low == 0x55)
      }
      var reader = BlockReader(bytes[4...], isBigEndian: isBigEndian)
      let size = Int64(reader.number() ?? 0)
      offset += 8 + size + size % 2
    }
    return false
  }
}
