import AudioCore
import Glibc

/// Converts a contiguous run of frames of one format to another rate, exact in length.
///
/// n frames of rate a that are fed become n·b/a frames of rate b, rounded up: what libsyn123 is late by is dropped
/// at the beginning and fetched with zeros at the end.
final class RateConverter {
  /// Source frames that go in with one call; bounds the buffers.
  private static let chunk = 512
  /// Source frames before a seek's target that let the filters settle. The difference to linear conversion is then
  /// what their rounding makes: below 2e-6, and 5e-5 below a quarter of the rate, where a filter of order 12 comes
  /// in (measured; the same after 256 and 4096).
  private static let settling = 1024

  /// What goes in.
  let source: PCMFormat
  private let output: PCMFormat
  private let channelCount: Int
  private let resampler: SYN123Resampler
  private let mixed: UnsafeMutablePointer<Float>
  private let converted: UnsafeMutablePointer<Float>
  private var convertedStart = 0
  private var convertedCount = 0

  /// Source frames that are still to be fed before the ones that count.
  private var runUpLeft: Int
  /// Converted frames that are still to be dropped.
  private var dropsLeft: Int
  /// Source frames that counted.
  private var fed: Int64 = 0
  /// Converted frames that were kept.
  private var kept: Int64 = 0

  /// A converter to which `preceding` frames (at most `runUp(from:to:)`) are fed before the ones that count.
  ///
  /// What is missing of a full run-up is silence, also at an item's beginning: libsyn123 takes the first frame for
  /// what was there before, and a jump from there would sound in the filters.
  init(from source: PCMFormat, to output: PCMFormat, preceding: Int = 0) throws(DecodingError) {
    let unit = RateConverter.unit(source, output)
    let runUp = RateConverter.runUp(from: source, to: output)
    self.source = source
    self.output = output
    // Converting one channel is half the work: mix down before, duplicate after.
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

  /// Frames to feed before a seek's target: enough to settle, and a multiple of the shortest stretch that both
  /// rates divide, so that the converter is in the same phase as if it had begun at the target.
  static func runUp(from source: PCMFormat, to output: PCMFormat) -> Int {
    let unit = unit(source, output)
    return (settling + unit - 1) / unit * unit
  }

  private static func unit(_ source: PCMFormat, _ output: PCMFormat) -> Int {
    var (a, b) = (source.sampleRate, output.sampleRate)
    while b != 0 { (a, b) = (b, a % b) }
    return source.sampleRate / a
  }

  /// Frames of the output rate that libsyn123's filters are late by at low frequencies.
  ///
  /// Measured by the phase of 100, 300 and 1000 Hz for all pairs of MPEG rates and 96 and 192 kHz, 1.31.2: 3.746
  /// frames of the input rate upwards; 3.57 to 3.75 frames of the output rate downwards, 4.5 to 4.9 below a
  /// quarter of the input rate, where another stage is added.
  static func delay(from inputRate: Int, to outputRate: Int) -> Int {
    if outputRate >= inputRate {
      return (outputRate * 3746 + inputRate * 500) / (inputRate * 1000)
    }
    return outputRate * 4 < inputRate ? 5 : 4
  }

  /// Whether converted frames wait for `take`.
  var hasOutput: Bool { convertedCount > 0 }

  /// Feeds some of `count` frames and returns how many. Only when `hasOutput` is false.
  func feed(_ samples: UnsafePointer<Float>, count: Int) -> Int {
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

  /// Fetches what the filters still hold. Returns false when all has been fetched. Only when `hasOutput` is false.
  func flush() -> Bool {
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
  func take(into destination: UnsafeMutablePointer<Float>, capacity: Int) -> Int {
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
