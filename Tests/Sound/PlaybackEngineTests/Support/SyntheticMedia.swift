import AudioCore
import CMarks
import PlaybackEngine
import Synchronization

/// Media without files: each sample of item n at frame f is a number that says so, so that what was heard can be
/// compared sample by sample.
struct SyntheticMedia: MediaSource {
  var number: Int
  var frames: Int64
  var sampleRate = 44_100
  /// Opening fails with this.
  var openError: DecodingError?
  /// Seeking fails with this.
  var seekError: DecodingError?
  /// Fixing the output's format fails with this.
  var formatError: DecodingError?
  /// How often it can be opened; then the file is gone.
  var openings: Countdown?
  /// Reading breaks off here.
  var breaksAt: Int64?
  var isRemote = false
  /// What the decoder says before it has read to the end.
  var announced: FrameCount?

  /// Exact in a Float: 11 bits of item, 13 bits of frame would not be enough for songs, so frames wrap.
  /// After so many frames samples begin anew.
  static let period: Int64 = 131_072

  static func sample(number: Int, frame: Int64) -> Float {
    Float((number % 64) * Int(period) + Int(frame % period)) / 16_777_216
  }

  func open(whenBytesCome callback: @escaping @Sendable () -> Void) -> MediaOpening {
    MediaOpening { () throws(DecodingError) in
      if let openError { throw openError }
      if let openings, !openings.take() { throw DecodingError(reason: .notFound, message: "gone") }
      return SyntheticDecoder(media: self)
    }
  }
}

/// A number of times.
final class Countdown: Sendable {
  private let left: Atomic<Int>
  init(_ count: Int) { left = Atomic(count) }
  var count: Int { left.load(ordering: .relaxed) }
  func take() -> Bool { left.wrappingSubtract(1, ordering: .relaxed).oldValue > 0 }
}

final class SyntheticDecoder: AudioDecoder {
  static let live = Atomic<Int>(0)

  private let media: SyntheticMedia
  private var output: PCMFormat
  private var produced: Int64 = 0
  private var origin: Int64 = 0
  private var isAtEnd = false

  init(media: SyntheticMedia) {
    self.media = media
    output = PCMFormat(sampleRate: media.sampleRate, channelCount: 2)
    Self.live.wrappingAdd(1, ordering: .relaxed)
  }

  deinit { Self.live.wrappingSubtract(1, ordering: .relaxed) }

  var format: PCMFormat { PCMFormat(sampleRate: media.sampleRate, channelCount: 2) }
  var frameCount: FrameCount { isAtEnd ? .exact(media.frames) : media.announced ?? .exact(media.frames) }

  func setOutputFormat(_ format: PCMFormat) throws(DecodingError) {
    if let error = media.formatError { throw error }
    output = format
  }

  func seek(toFrame frame: Int64, isExact: Bool) throws(DecodingError) -> Int64? {
    if let error = media.seekError { throw error }
    origin = min(max(0, frame), media.frames)
    produced = 0
    return origin
  }

  /// Samples go up by the same from frame to frame, until they begin anew.
  private func write(_ count: Int, from frame: Int64, into buffer: UnsafeMutableBufferPointer<Float>) {
    var done = 0
    while done < count, let target = buffer.baseAddress {
      let place = frame + Int64(done)
      let part = min(count - done, Int(SyntheticMedia.period - place % SyntheticMedia.period))
      let sample = SyntheticMedia.sample(number: media.number, frame: place)
      let step: Float = 1 / 16_777_216
      let marks = continuo_marks(left: sample, right: -sample, left_step: step, right_step: -step)
      continuo_marks_write(target + done * 2, part, marks)
      done += part
    }
  }

  /// Converted items deliver the sample of the nearest frame before: enough to tell where each came from.
  func read(into buffer: UnsafeMutableBufferPointer<Float>) throws(DecodingError) -> DecoderRead {
    let total =
      ((media.frames - origin) * Int64(output.sampleRate) + Int64(media.sampleRate) - 1)
      / Int64(media.sampleRate)
    var count = Int(min(Int64(buffer.count / 2), total - produced))
    if let limit = media.breaksAt, origin + produced < limit {
      count = min(count, Int(limit - origin - produced))
    } else if let limit = media.breaksAt, origin + produced >= limit {
      throw DecodingError(reason: .decodeFailed, message: "broken on purpose")
    }
    if output.sampleRate == media.sampleRate {
      write(count, from: origin + produced, into: buffer)
    } else {
      for index in 0..<count {
        let frame = origin + (produced + Int64(index)) * Int64(media.sampleRate) / Int64(output.sampleRate)
        let sample = SyntheticMedia.sample(number: media.number, frame: frame)
        buffer[index * 2] = sample
        buffer[index * 2 + 1] = -sample
      }
    }
    produced += Int64(count)
    if count == 0 { isAtEnd = true }
    return count == 0 ? .end : .frames(count)
  }
}
