package import AudioCore

/// Opens an MPEG audio medium. Must be used by one thread at a time, which will also use the decoder.
package final class MP3Opening {
  package struct Stream {
    /// The number of bytes without a frame, apart from tags, after which reading fails.
    package var searchBudget: Int
    /// Called during reading, for each frame with samples to deliver. `offset`: the frame's byte offset in the
    /// source. `frame`: the position of the first of those samples, in PCM frames at the initial sample rate.
    package var onFrame: (_ offset: Int64, _ frame: Int64) -> Void

    package init(searchBudget: Int, onFrame: @escaping (_ offset: Int64, _ frame: Int64) -> Void) {
      self.searchBudget = searchBudget
      self.onFrame = onFrame
    }
  }

  private let source: any ByteSource
  private let options: OpeningOptions
  private let stream: Stream?
  /// The first bytes of the source, as far as the caller has read them.
  private let beginning: [UInt8]?
  private var reader: FrameReader?
  private var decoder: MP3Decoder?

  /// Prepares to open the medium in `source`; reads nothing yet. The caller sets the source's callback.
  /// `beginning`: the first `Recognition.length` bytes, or all bytes of a shorter source, if the caller has read
  /// them.
  package init(
    source: any ByteSource, options: OpeningOptions = OpeningOptions(), beginning: [UInt8]? = nil
  ) {
    self.source = source
    self.options = options
    self.beginning = beginning
    stream = nil
  }

  /// Prepares to open a part of a live stream; reads nothing yet. An Info frame, which stations may send with a
  /// file, is ignored.
  package init(source: any ByteSource, stream: Stream) {
    self.source = source
    options = OpeningOptions()
    beginning = nil
    self.stream = stream
  }

  /// Returns the decoder, positioned at the beginning; nil while bytes are missing. Throws if the medium
  /// cannot be opened.
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
      case .end, nil: throw MP3Opening.noAudio
      }
    } catch {
      throw error.reason == .decodeFailed ? MP3Opening.noAudio : error
    }
  }

  /// Returns a reader for the audio after the source's leading tag; nil while its first bytes are missing.
  private func recognize() throws(DecodingError) -> FrameReader? {
    var first = beginning
    if first == nil { first = try source.peek(Recognition.length, at: 0) }
    guard let bytes = first else { return nil }
    try Recognition.refuseOtherFormats(bytes)
    let budget = stream?.searchBudget ?? FrameReader.searchBudget
    return try FrameReader(
      source: source, beginning: Recognition.tagLength(bytes) ?? 0, budget: budget, laterBudget: budget)
  }

  static let noAudio = DecodingError(reason: .notRecognized, message: "There is no MPEG audio in this file.")
}
