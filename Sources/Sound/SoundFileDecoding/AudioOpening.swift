package import AudioCore
package import MP3Decoding

extension MediaOpening {
  /// Starts opening the audio in `source`, with the decoder for its content. The caller sets the source's
  /// callback. With `stream`, the source is a part of a live stream and must be MPEG audio. The opening
  /// throws the errors of `AudioFile.open(whenBytesCome:)` and of the source.
  package init(
    audioIn source: any ByteSource, options: OpeningOptions = OpeningOptions(),
    stream: MP3Opening.Stream? = nil
  ) {
    if let stream {
      let opening = MP3Opening(source: source, stream: stream)
      self.init { () throws(DecodingError) in try opening.proceed() }
    } else {
      let opening = AudioOpening(source, options)
      self.init { () throws(DecodingError) in try opening.proceed() }
    }
  }
}

/// Opens audio whose content is not known yet. Used by one thread at a time.
private final class AudioOpening {
  private enum Stage {
    case unknown
    case mpeg(MP3Opening)
    case soundFile(SoundFileOpening)
    case measuring(SoundFileDecoder)
  }

  private let source: any ByteSource
  private let options: OpeningOptions
  private var stage = Stage.unknown

  init(_ source: any ByteSource, _ options: OpeningOptions) {
    self.source = source
    self.options = options
  }

  func proceed() throws(DecodingError) -> (any AudioDecoder)? {
    while true {
      switch stage {
      case .unknown:
        switch try AudioContent.find(in: source) {
        case nil: return nil
        case .mpeg(let beginning):
          stage = .mpeg(MP3Opening(source: source, options: options, beginning: beginning))
        case .soundFile(let kind, let base):
          stage = .soundFile(SoundFileOpening(source, kind: kind, base: base))
        }
      case .mpeg(let opening): return try opening.proceed()
      case .soundFile(var opening):
        let file = try opening.proceed()
        stage = .soundFile(opening)
        guard let file else { return nil }
        stage = .measuring(SoundFileDecoder(file, opening))
      case .measuring(let decoder):
        if options.preciseDuration, try !decoder.measureLength() { return nil }
        return decoder
      }
    }
  }
}
