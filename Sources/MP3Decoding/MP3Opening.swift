package import AudioCore

/// An MPEG audio medium that is being opened, whatever its bytes come from.
///
/// Used by one thread at a time, which is the one that will use the decoder.
package final class MP3Opening {
  private let source: any ByteSource
  private let options: MP3File.Options
  private var reader: FrameReader?
  private var decoder: MP3Decoder?

  /// Begins to open what `source` has. Its callback is the caller's to set.
  package init(source: any ByteSource, options: MP3File.Options = MP3File.Options()) {
    self.source = source
    self.options = options
  }

  /// The decoder, at the beginning; nil while bytes are missing: to be called again when they came. Throws as
  /// `MP3File.open(whenBytesCome:)` says.
  package func proceed() throws(DecodingError) -> (any AudioDecoder)? { try decode() }

  func decode() throws(DecodingError) -> MP3Decoder? {
    if decoder == nil { decoder = try findAudio() }
    guard let decoder else { return nil }
    if options.preciseDuration, try !decoder.measureLength() { return nil }
    return decoder
  }

  private func findAudio() throws(DecodingError) -> MP3Decoder? {
    if reader == nil { reader = try recognize() }
    guard let reader else { return nil }
    do throws(DecodingError) {
      switch try reader.next() {
      case .frame: return MP3Decoder(reader)
      case .waiting: return nil
      case .end: throw MP3Opening.noAudio
      }
    } catch {
      throw error.reason == .decodeFailed ? MP3Opening.noAudio : error
    }
  }

  /// A reader for the audio behind the tag that the source begins with; nil while its first bytes are missing.
  private func recognize() throws(DecodingError) -> FrameReader? {
    guard let bytes = try source.peek(Recognition.length, at: 0) else { return nil }
    try Recognition.refuseOtherFormats(bytes)
    return try FrameReader(source: source, for: .decoding, beginning: Recognition.tagLength(bytes) ?? 0)
  }

  static let noAudio = DecodingError(reason: .notRecognized, message: "There is no MPEG audio in this file.")
}
