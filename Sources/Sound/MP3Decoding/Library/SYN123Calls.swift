import AudioCore
import CMPG123

/// A libsyn123 resampler for one pair of rates. All calls into that library are in this file. Each pair gets
/// a new handle, because a second setup can free memory twice in 1.31.2 (bug 350, fixed in 1.31.3).
struct SYN123Resampler: ~Copyable {
  private let handle: OpaquePointer
  private let inputRate: Int
  private let outputRate: Int

  private let liveHandles = LiveHandles.current

  private init(adopting handle: OpaquePointer, from inputRate: Int, to outputRate: Int) {
    self.handle = handle
    self.inputRate = inputRate
    self.outputRate = outputRate
    liveHandles?.add()
  }

  deinit {
    syn123_del(handle)
    liveHandles?.remove()
  }

  /// Creates a resampler in the better mode (108 dB; not the "dirty" one).
  static func make(
    from inputRate: Int, to outputRate: Int, channelCount: Int
  ) throws(DecodingError) -> SYN123Resampler {
    var code: Int32 = 0
    guard
      let pointer = syn123_new(
        inputRate, Int32(channelCount), Int32(MPG123_ENC_FLOAT_32.rawValue), 0, &code)
    else { throw failure(code) }
    let resampler = SYN123Resampler(adopting: pointer, from: inputRate, to: outputRate)
    code = syn123_setup_resample(pointer, inputRate, outputRate, Int32(channelCount), 0, 0)
    guard code == SYN123_OK.rawValue else { throw failure(code) }
    return resampler
  }

  /// Returns the maximum number of output frames for `count` input frames.
  func outputBound(for count: Int) -> Int { syn123_resample_count(inputRate, outputRate, count) }

  /// Converts `count` frames into `output`, which has room for `outputBound(for: count)`. Returns the number
  /// of frames written. After a total of n input frames, exactly n·b/a output frames, rounded up, were
  /// written (measured; libsyn123 calls it exact).
  func convert(_ input: UnsafePointer<Float>, count: Int, to output: UnsafeMutablePointer<Float>) -> Int {
    // The input is not written to; the parameter only lacks its const.
    syn123_resample(handle, output, UnsafeMutablePointer(mutating: input), count)
  }

  private static func failure(_ code: Int32) -> DecodingError {
    DecodingError(
      scope: .engine, reason: .unusable,
      message: "Rates cannot be converted: \(String(cString: syn123_strerror(code))).")
  }
}
