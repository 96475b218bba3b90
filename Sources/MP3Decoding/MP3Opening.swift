package import AudioCore

/// An MPEG audio medium that is being opened, whatever its bytes come from.
///
/// Used by one thread at a time, which is the one that will use the decoder.
package final class MP3Opening {
  /// How a part of a live stream is read.
  package struct Stream {
    /// Bytes that may pass without a frame.
    package var searchBudget: Int
    /// Called, while the decoder is read, with each MPEG frame of which something is to be heard: where in the source it
    /// begins, and the first frame of the decoder's timeline that comes of it.
    package var onFrame: (_ offset: Int64, _ frame: Int64) -> Void

    /// A stream with these properties.
    package init(searchBudget: Int, onFrame: @escaping (_ offset: Int64, _ frame: Int64) -> Void) {
      self.searchBudget = searchBudget
      self.onFrame = onFrame
    }
  }

  private let source: any ByteSource
  private let options: MP3File.Options
  private let stream: Stream?
  private var reader: FrameReader?
  private var decoder: MP3Decoder?

  /// Begins to open what `source` has. Its callback is the caller's to set.
  package init(source: any ByteSource, options: MP3File.Options = MP3File.Options()) {
    self.source = source
    self.options = options
    stream = nil
  }

  /// Begins to open a part of a live stream. An Info frame, as stations send it with the first bytes of a file, counts for
  /// nothing.
  package init(source: any ByteSource, stream: Stream) {
    self.source = source
    options = MP3File.Options()
    self.stream = stream
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
      case .frame: return MP3Decoder(reader, stream: stream)
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
    let budget = stream?.searchBudget ?? FrameReader.searchBudget
    return try FrameReader(
      source: source, for: .decoding, beginning: Recognition.tagLength(bytes) ?? 0, budget: budget,
      laterBudget: budget)
  }

  static let noAudio = DecodingError(reason: .notRecognized, message: "There is no MPEG audio in this file.")
}
