package import AudioCore
import Glibc

/// Converts a contiguous run of frames from one format to another sample rate, with exact length. n frames at
/// rate a become n·b/a frames at rate b, rounded up. The frames of libsyn123's latency are
/// dropped at the beginning; at the end, silence is fed to obtain the remaining frames.
package final class RateConverter {
  /// The maximum number of source frames per call, which bounds the buffers.
  private static let chunk = 512
  /// The minimum number of source frames fed before a seek's target to let the filters settle. The remaining
  /// difference to linear conversion is the filters' rounding: less than 2e-6, or less than 5e-5 if the
  /// output rate is below a quarter of the source's, where a filter of order 12 is added (measured; the same
  /// with 256 and 4096 frames).
  private static let settling = 1024

  package let source: PCMFormat
  private let output: PCMFormat
  private let channelCount: Int
  private let resampler: SYN123Resampler
  private let mixed: UnsafeMutablePointer<Float>
  private let converted: UnsafeMutablePointer<Float>
  private var convertedStart = 0
  private var convertedCount = 0

  /// The number of run-up frames yet to be fed.
  private var runUpLeft: Int
  /// The number of converted frames yet to be dropped.
  private var dropsLeft: Int
  /// The number of source frames fed after the run-up.
  private var fed: Int64 = 0
  /// The number of converted frames kept.
  private var kept: Int64 = 0

  /// Creates a converter that first receives `preceding` frames of run-up (at most `runUp(from:to:)`). An
  /// incomplete run-up is filled with silence, also at an item's beginning. libsyn123 would assume that the
  /// first frame's value preceded it, and a step from there would be audible after the filters. Throws if
  /// libsyn123 cannot convert these rates.
  package init(
    from source: PCMFormat, to output: PCMFormat, preceding: Int = 0
  ) throws(DecodingError) {
    let unit = RateConverter.unit(source, output)
    let runUp = RateConverter.runUp(from: source, to: output)
    self.source = source
    self.output = output
    // Converting one channel is half the work, so stereo is mixed down before, and mono is duplicated after.
    channelCount = min(source.channelCount, output.channelCount)
    resampler = try SYN123Resampler.make(
      from: source.sampleRate, to: output.sampleRate, channelCount: channelCount)
    mixed = .allocate(capacity: RateConverter.chunk * channelCount)
    converted = .allocate(capacity: resampler.outputBound(for: RateConverter.chunk) * channelCount)
    runUpLeft = preceding
    dropsLeft =
      runUp / unit * RateConverter.unit(output, source)
      + RateConverter.delay(from: source.sampleRate, to: output.sampleRate)
    var silence = runUp - preceding
    while silence > 0 {
      let part = min(silence, RateConverter.chunk)
      convertSilence(count: part)
      silence -= part
    }
  }

  deinit {
    mixed.deallocate()
    converted.deallocate()
  }

  /// Returns the number of run-up frames before a seek's target. They let the filters settle, and their
  /// number is a multiple of the shortest period common to both rates. The converter then has the same phase
  /// as one started at the target.
  package static func runUp(from source: PCMFormat, to output: PCMFormat) -> Int {
    let unit = unit(source, output)
    return (settling + unit - 1) / unit * unit
  }

  private static func unit(_ source: PCMFormat, _ output: PCMFormat) -> Int {
    var (a, b) = (source.sampleRate, output.sampleRate)
    while b != 0 { (a, b) = (b, a % b) }
    return source.sampleRate / a
  }

  /// Returns the latency of libsyn123's filters at low frequencies, in frames of the output rate.
  ///
  /// Measured by the phase of 100, 300 and 1000 Hz for all pairs of MPEG rates and 96 and 192 kHz, with
  /// 1.31.2. Upsampling: 3.746 frames of the input rate. Downsampling: 3.57 to 3.75 frames of the output
  /// rate. Below a quarter of the input rate, where another stage is added, 4.5 to 4.9.
  static func delay(from inputRate: Int, to outputRate: Int) -> Int {
    if outputRate >= inputRate { return (outputRate * 3746 + inputRate * 500) / (inputRate * 1000) }
    return outputRate * 4 < inputRate ? 5 : 4
  }

  package var hasOutput: Bool { convertedCount > 0 }

  /// Feeds some of `count` frames and returns how many. Requires that `hasOutput` is false.
  package func feed(_ samples: UnsafePointer<Float>, count: Int) -> Int {
    let count = min(count, RateConverter.chunk)
    if source.channelCount == channelCount {
      convert(samples, count: count)
    } else {
      ChannelMixing.convert(
        samples, channels: source.channelCount, to: mixed, channels: channelCount, count: count)
      convert(mixed, count: count)
    }
    let runUp = min(runUpLeft, count)
    runUpLeft -= runUp
    fed += Int64(count - runUp)
    return count
  }

  /// Fetches frames that remain in the filters. Returns false after the last. Requires that `hasOutput` is
  /// false.
  package func flush() -> Bool {
    let (a, b) = (Int64(source.sampleRate), Int64(output.sampleRate))
    let (whole, rest) = fed.quotientAndRemainder(dividingBy: a)
    let missing = whole * b + (rest * b + a - 1) / a - kept
    guard missing > 0 else { return false }
    while convertedCount == 0 { convertSilence(count: 64) }
    let excess = convertedCount - Int(min(missing, Int64(convertedCount)))
    convertedCount -= excess
    kept -= Int64(excess)
    return true
  }

  /// Moves up to `capacity` converted frames to `destination` and returns how many.
  package func take(into destination: UnsafeMutablePointer<Float>, capacity: Int) -> Int {
    let count = min(capacity, convertedCount)
    ChannelMixing.convert(
      converted + convertedStart * channelCount, channels: channelCount, to: destination,
      channels: output.channelCount, count: count)
    convertedStart += count
    convertedCount -= count
    return count
  }

  private func convertSilence(count: Int) {
    (mixed).update(repeating: 0, count: count * channelCount)
    convert(mixed, count: count)
  }

  private func convert(_ samples: UnsafePointer<Float>, count: Int) {
    let made = resampler.convert(samples, count: count, to: converted)
    let dropped = min(dropsLeft, made)
    dropsLeft -= dropped
    convertedStart = dropped
    convertedCount = made - dropped
    kept += Int64(convertedCount)
  }
}

/// Changes the channels of interleaved frames: mono to stereo by duplication, stereo to mono by the mean.
package enum ChannelMixing {
  @inline(__always)
  package static func convert(
    _ input: UnsafePointer<Float>, channels: Int, to output: UnsafeMutablePointer<Float>,
    channels wanted: Int, count: Int
  ) {
    if channels == wanted {
      memcpy(output, input, count * channels * MemoryLayout<Float>.size)
    } else if wanted == 2 {
      for index in 0..<count {
        let sample = input[index]
        output[2 * index] = sample
        output[2 * index + 1] = sample
      }
    } else {
      for index in 0..<count { output[index] = (input[2 * index] + input[2 * index + 1]) * 0.5 }
    }
  }
}
