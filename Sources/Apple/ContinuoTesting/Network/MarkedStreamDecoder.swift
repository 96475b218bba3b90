import AudioCore
import MP3Decoding
import SoundFileDecoding

/// Decodes the bytes of a marked stream to samples that identify song and frame. A frame is decoded only
/// after all its bytes were checked.
final class MarkedStreamDecoder: AudioDecoder {
  private let source: any ByteSource
  private let stream: MarkedStream
  /// The first frame in the source, and its offset there.
  private let first: Int64
  private let base: Int64
  private let marks: MarkedDecoder
  /// The position in the song, in PCM frames, up to which bytes were checked since the start or a seek.
  private var seen: Int64
  /// The receiver of frame callbacks; nil except for a station.
  private var part: MP3Opening.Stream?

  /// `frame` is the frame at the offset `base` of the source.
  init(_ source: any ByteSource, _ stream: MarkedStream, frame: Int64, base: Int64) {
    self.source = source
    self.stream = stream
    first = frame
    self.base = base
    seen = frame * MarkedStream.soundPerFrame
    marks = MarkedDecoder(
      MarkedSource(
        number: stream.song, frames: stream.length ?? Mark.frameLimit, sampleRate: stream.sampleRate,
        breaksAt: nil),
      from: seen)
  }

  var format: PCMFormat { marks.format }
  var frameCount: FrameCount { stream.length.map { .exact($0) } ?? .unknown }
  var bitRate: Int { stream.bitRate }

  var supply: MediaSupply {
    let there = source.supply(from: offset(of: seen / MarkedStream.soundPerFrame))
    let bytesPerSecond = Double(stream.bitRate) / 8
    let ready = Double(max(0, seen - marks.place)) / Double(stream.sampleRate)
    // Incomplete frames are not playable.
    let frames = (Double(there.byteCount) / bytesPerSecond / secondsPerFrame).rounded(.down)
    return MediaSupply(
      seconds: ready + frames * secondsPerFrame, isComplete: there.isComplete,
      pace: there.bytesPerSecond.map { $0 / bytesPerSecond }, isFull: there.isFull)
  }

  var extent: MediaExtent? {
    guard let length = stream.length, let stored = source.stored else { return nil }
    let end = Double(length) / Double(stream.sampleRate)
    func seconds(_ offset: Int64) -> Double {
      if let size = source.size, offset >= size { return end }
      return min(end, Double(max(0, offset - base)) * 8 / Double(stream.bitRate))
    }
    let loaded = stored.map { seconds($0.lowerBound)..<seconds($0.upperBound) }.filter { !$0.isEmpty }
    return MediaExtent(loaded: Array(loaded.prefix(MediaExtent.limit)), isSeekable: source.isSeekable)
  }

  func setReadAhead(_ readAhead: MediaReadAhead) {
    source.setReadAhead(readAhead.byteCount(bytesPerSecond: Double(stream.bitRate) / 8))
  }

  private var secondsPerFrame: Double { Double(MarkedStream.soundPerFrame) / Double(stream.sampleRate) }

  func setOutputFormat(_ format: PCMFormat) throws(DecodingError) { try marks.setOutputFormat(format) }

  func seek(toFrame frame: Int64, isExact: Bool) throws(DecodingError) -> Int64? {
    // A station is not seekable.
    guard stream.length != nil else { return marks.place - first * MarkedStream.soundPerFrame }
    let place = try marks.seek(toFrame: frame)
    let start = marks.place / MarkedStream.soundPerFrame
    seen = start * MarkedStream.soundPerFrame
    source.want(from: offset(of: start))
    return place
  }

  func read(into buffer: UnsafeMutableBufferPointer<Float>) throws(DecodingError) -> DecoderRead {
    var filled = 0
    while filled < buffer.count / 2 {
      if marks.place >= seen, marks.place < stream.length ?? .max {
        switch try look() {
        case .bytes: continue
        case .notYet: return filled > 0 ? .frames(filled) : .waiting
        case .end: return filled > 0 ? .frames(filled) : .end
        }
      }
      let limit = min(buffer.count / 2 - filled, marks.outputFrames(before: seen))
      guard
        case .frames(let count) = try marks.read(
          into: UnsafeMutableBufferPointer(rebasing: buffer[filled * 2..<(filled + limit) * 2]))
      else { break }
      filled += count
    }
    return filled > 0 ? .frames(filled) : .end
  }

  /// Checks the bytes of the frame that begins at `seen`, and moves `seen` to its end. Returns `notYet` while bytes are
  /// missing, and `end` if the source ends before the frame does. Throws if the bytes differ from those of the song.
  private func look() throws(DecodingError) -> ByteRead {
    let number = seen / MarkedStream.soundPerFrame
    let expected = stream.bytes(of: number)
    guard let bytes = try source.peek(expected.count, at: offset(of: number)) else { return .notYet }
    guard bytes.count == expected.count else { return .end }
    guard bytes == expected else {
      throw DecodingError(
        reason: .decodeFailed, message: "the bytes of frame \(number) are not those of this song")
    }
    part?.onFrame(offset(of: number), (number - first) * MarkedStream.soundPerFrame)
    seen += MarkedStream.soundPerFrame
    return .bytes(bytes.count)
  }

  private func offset(of frame: Int64) -> Int64 { base + stream.start(of: frame) - stream.start(of: first) }

  /// Returns an opening of the content of `source`, which is a test device's song, recognized by its header,
  /// or real audio.
  @Sendable static func open(
    _ source: any ByteSource, _ options: OpeningOptions, _ part: MP3Opening.Stream?
  ) -> MediaOpening {
    let file = MediaOpening(audioIn: source, options: options, stream: part)
    var isFile = false
    return MediaOpening { () throws(DecodingError) in
      if !isFile {
        guard let found = try find(in: source) else { return nil }
        if case .song(let decoder) = found {
          decoder.part = part
          return decoder
        }
        isFile = true
      }
      return try file.proceed()
    }
  }

  private enum Found { case song(MarkedStreamDecoder), file }

  /// The number of offsets at which a header is searched for. The bytes of a station may begin within a frame.
  private static let search = 4_096

  /// Returns the kind of the source, identified by its first bytes; nil while they are missing.
  private static func find(in source: any ByteSource) throws(DecodingError) -> Found? {
    guard let front = try source.peek(1, at: 0) else { return nil }
    // An MPEG frame begins with 0xFF, and an ID3 tag with "I".
    guard let byte = front.first, byte != 0xFF, byte != UInt8(ascii: "I") else { return .file }
    for base in 0..<search {
      guard let bytes = try source.peek(MarkedStream.headerLength, at: Int64(base)) else { return nil }
      guard bytes.count == MarkedStream.headerLength else { return .file }
      if let (stream, frame) = MarkedStream.read(bytes) {
        return .song(MarkedStreamDecoder(source, stream, frame: frame, base: Int64(base)))
      }
    }
    return .file
  }
}
