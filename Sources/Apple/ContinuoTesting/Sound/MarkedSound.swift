import AudioCore
import CMarks

/// Samples that encode their song and their frame. The left sample has the low bits of the frame's number, the
/// right one the song's number and the high bits. A Float holds 24 bits exactly; 23 bits keep it below 1.
enum Mark {
  private static let scale = Float(1 << 23)
  private static let highBits = 11
  private static let lowMask: Int64 = (1 << 23) - 1

  /// The maximum number of songs, and of frames in a song (four days at 48 kHz), that marks can represent.
  static let songLimit = (1 << (23 - highBits)) - 1
  static let frameLimit: Int64 = 1 << (23 + Int64(highBits))

  /// Returns the marks from a frame on, and the number of frames for which they are linear. `song` counts
  /// from 1, so that no frame is silent.
  fileprivate static func span(song: Int, frame: Int64) -> (marks: continuo_marks, frames: Int64) {
    let first = continuo_marks(
      left: Float(frame & lowMask) / scale, right: Float(Int64(song) << highBits | frame >> 23) / scale,
      left_step: 1 / scale, right_step: 0)
    return (first, lowMask + 1 - frame & lowMask)
  }

  /// Writes `count` frames, from `frame` on, to the start of `buffer`.
  static func write(
    song: Int, frames count: Int, from frame: Int64, into buffer: UnsafeMutableBufferPointer<Float>
  ) {
    var done = 0
    while done < count, let target = buffer.baseAddress {
      let (marks, frames) = span(song: song, frame: frame + Int64(done))
      let part = min(count - done, Int(frames))
      continuo_marks_write(target + done * 2, part, marks)
      done += part
    }
  }

  /// Returns a lower bound of the number of leading frames that belong to `song` from `frame` on.
  static func count(song: Int, from frame: Int64, in samples: Slice<UnsafeBufferPointer<Float>>) -> Int {
    let samples = UnsafeBufferPointer(rebasing: samples)
    var done = 0
    while done < samples.count / 2, let source = samples.baseAddress {
      let (marks, frames) = span(song: song, frame: frame + Int64(done))
      let part = min(samples.count / 2 - done, Int(frames))
      let matching = continuo_marks_count(source + done * 2, part, marks)
      done += matching
      if matching < part { break }
    }
    return done
  }

  /// Returns the song and frame of a mark; nil for other samples.
  static func read(_ left: Float, _ right: Float) -> (song: Int, frame: Int64)? {
    guard left >= 0, left < 1, right > 0, right < 1 else { return nil }
    let low = Int64(left * scale)
    let high = Int64(right * scale)
    guard Float(low) / scale == left, Float(high) / scale == right, high >> highBits > 0 else { return nil }
    return (Int(high >> highBits), low | (high & (1 << highBits - 1)) << 23)
  }
}

struct MarkedSource: MediaSource {
  var number: Int
  var frames: Int64
  var sampleRate: Int
  /// The frame at which decoding fails; nil for an undamaged song.
  var breaksAt: Int64?
  /// Whether the output is evaluated. If not, the buffer's previous content is output instead of marks.
  var isHeard = true

  func open(whenBytesCome callback: @escaping @Sendable () -> Void) -> MediaOpening {
    MediaOpening { MarkedDecoder(self) }
  }
}

struct UnplayableSource: MediaSource {
  var error: DecodingError

  func open(whenBytesCome callback: @escaping @Sendable () -> Void) -> MediaOpening {
    MediaOpening { () throws(DecodingError) in throw error }
  }
}

/// Decodes a song to marks. At another output rate, each output frame is the last frame of the song at or
/// before the output frame's time.
final class MarkedDecoder: AudioDecoder {
  private let source: MarkedSource
  private var outputRate: Int
  private var origin: Int64 = 0
  private var produced: Int64 = 0

  /// Creates a decoder that starts at frame `origin`.
  init(_ source: MarkedSource, from origin: Int64 = 0) {
    self.source = source
    self.origin = origin
    outputRate = source.sampleRate
  }

  var place: Int64 { origin + produced * Int64(source.sampleRate) / Int64(outputRate) }

  /// Returns the number of output frames from the current position to the given frame of the song; 0 for a frame before
  /// that position.
  func outputFrames(before frame: Int64) -> Int { Int(max(0, outputFrames(upTo: frame) - produced)) }

  var format: PCMFormat { PCMFormat(sampleRate: source.sampleRate, channelCount: 2) }
  var frameCount: FrameCount { .exact(source.frames) }

  func setOutputFormat(_ format: PCMFormat) throws(DecodingError) {
    guard format.channelCount == 2 else {
      throw DecodingError(reason: .unusable, message: "a song of a test device has two channels")
    }
    outputRate = format.sampleRate
  }

  func seek(toFrame frame: Int64, isExact: Bool) throws(DecodingError) -> Int64? {
    origin = min(max(0, frame), source.frames)
    produced = 0
    return origin
  }

  func read(into buffer: UnsafeMutableBufferPointer<Float>) throws(DecodingError) -> DecoderRead {
    let end = outputFrames(upTo: source.frames)
    let limit = source.breaksAt.map { min(end, outputFrames(upTo: $0)) } ?? end
    let count = Int(min(Int64(buffer.count / 2), max(0, limit - produced)))
    if count == 0, limit < end {
      throw DecodingError(reason: .decodeFailed, message: "broken off on purpose")
    }
    if source.isHeard { writeMarks(count, into: buffer) }
    produced += Int64(count)
    return count == 0 ? .end : .frames(count)
  }

  private func writeMarks(_ count: Int, into buffer: UnsafeMutableBufferPointer<Float>) {
    if outputRate == source.sampleRate {
      Mark.write(song: source.number, frames: count, from: origin + produced, into: buffer)
    } else {
      for index in 0..<count {
        let frame = origin + (produced + Int64(index)) * Int64(source.sampleRate) / Int64(outputRate)
        let marks = Mark.span(song: source.number, frame: frame).marks
        buffer[index * 2] = marks.left
        buffer[index * 2 + 1] = marks.right
      }
    }
  }

  /// Returns the number of output frames between `origin` and the given frame of the song.
  private func outputFrames(upTo frame: Int64) -> Int64 {
    guard outputRate != source.sampleRate else { return frame - origin }
    return ((frame - origin) * Int64(outputRate) + Int64(source.sampleRate) - 1) / Int64(source.sampleRate)
  }
}
