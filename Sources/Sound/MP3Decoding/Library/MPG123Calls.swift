import AudioCore
import CMPG123
import Glibc
import Synchronization

/// Counts the live handles of libmpg123 and libsyn123 in a test. Bound to the test's task, because tests run
/// concurrently in one process.
final class LiveHandles: Sendable {
  /// The counter of the current task; nil outside of tests.
  @TaskLocal static var current: LiveHandles?

  private let counter = Atomic<Int>(0)

  var count: Int { counter.load(ordering: .relaxed) }
  func add() { counter.add(1, ordering: .relaxed) }
  func remove() { counter.subtract(1, ordering: .relaxed) }
}

struct FrameHeader: Equatable {
  var sampleRate: Int
  /// The bit rate in kbit/s; 0 for free format.
  var bitrate: Int32
  /// The value of `mpg123_vbr`, as far as the file specifies it.
  var vbr: Int32
  /// The length in bytes, including the header.
  var byteCount: Int
  var samplesPerFrame: Int

  /// The mean frame size at this bit rate, in bytes; in free format the size of this frame. Because of padding,
  /// single frames are slightly larger or smaller.
  var meanByteCount: Double {
    guard bitrate > 0, sampleRate > 0 else { return Double(byteCount) }
    return Double(bitrate) * 125 * Double(samplesPerFrame) / Double(sampleRate)
  }
}

/// A libmpg123 handle. All calls into that library are in this file. Must be used by one thread at a time.
/// After an error a handle may only be destroyed, because libmpg123 guarantees no more (1.33.7 fixed a double
/// free after a failed call).
struct MPG123Handle: ~Copyable {
  /// The result of a step through the fed bytes.
  enum Step {
    case frame
    /// A frame was found that is the first one, or whose format differs from that of the preceding one.
    case newFormat
    /// More bytes are needed to find the next frame.
    case needsMore
    /// No further frame will be found.
    case end
  }

  struct FrameData {
    var header: UInt32
    var body: UnsafeBufferPointer<UInt8>
  }

  /// The kind of data at the beginning of a feed.
  enum FeedStart {
    /// A file, or its audio: searches for two consistent headers and an Info frame.
    case file
    case frame
    /// An arbitrary position in a file: searches for two consistent headers.
    case middle
  }

  /// The maximum number of fed bytes searched for a header in one call. The caller limits how much is fed.
  private static let resyncLimit = 1 << 20

  private let handle: OpaquePointer

  private let liveHandles = LiveHandles.current

  private init(adopting handle: OpaquePointer) {
    self.handle = handle
    liveHandles?.add()
  }

  deinit {
    mpg123_delete(handle)
    liveHandles?.remove()
  }

  static func make() throws(DecodingError) -> MPG123Handle {
    var code: Int32 = 0
    guard let pointer = mpg123_new(nil, &code) else {
      throw DecodingError(
        scope: .engine, reason: .unusable,
        message: "libmpg123 cannot be used: \(String(cString: mpg123_plain_strerror(code))).")
    }
    let handle = MPG123Handle(adopting: pointer)
    // Tags are skipped, not parsed, since code that does not run cannot be exploited.
    let flags = MPG123_QUIET.rawValue | MPG123_FORCE_FLOAT.rawValue | MPG123_SKIP_ID3V2.rawValue
    try handle.set(MPG123_ADD_FLAGS, Int(flags))
    // `GaplessCut` cuts instead, because libmpg123's own cut puts seeks after the announced end 88 to 856
    // samples off (1.31.2).
    try handle.set(MPG123_REMOVE_FLAGS, Int(MPG123_GAPLESS.rawValue | MPG123_AUTO_RESAMPLE.rawValue))
    try handle.set(MPG123_RESYNC_LIMIT, resyncLimit)
    // `FrameOffsets` stores the frame positions instead.
    try handle.set(MPG123_INDEX_SIZE, 0)
    return handle
  }

  func openFeed(at start: FeedStart) throws(DecodingError) {
    let (info, ahead) = (Int(MPG123_IGNORE_INFOFRAME.rawValue), Int(MPG123_NO_READAHEAD.rawValue))
    switch start {
    case .file: try set(MPG123_REMOVE_FLAGS, info | ahead)
    case .frame: try set(MPG123_ADD_FLAGS, info | ahead)
    case .middle:
      try set(MPG123_ADD_FLAGS, info)
      try set(MPG123_REMOVE_FLAGS, ahead)
    }
    guard mpg123_open_feed(handle) == MPG123_OK.rawValue else { throw error("opening") }
  }

  /// Sets the body length, without padding, for feeds that begin with a free-format frame.
  func setFreeFormatSize(_ byteCount: Int) throws(DecodingError) {
    try set(MPG123_FREEFORMAT_SIZE, byteCount)
  }

  /// Feeds bytes, which libmpg123 copies.
  func feed(_ bytes: UnsafePointer<UInt8>?, count: Int) throws(DecodingError) {
    guard mpg123_feed(handle, bytes, count) == MPG123_OK.rawValue else { throw error("reading") }
  }

  private func set(_ parameter: mpg123_parms, _ value: Int) throws(DecodingError) {
    guard mpg123_param2(handle, Int32(parameter.rawValue), value, 0) == MPG123_OK.rawValue else {
      throw error("setting up")
    }
  }

  /// Returns the decoded format of the frame found last; nil if it cannot be decoded.
  func readFormat() throws(DecodingError) -> PCMFormat? {
    var rate = 0
    var channels: Int32 = 0
    var encoding: Int32 = 0
    switch mpg123_getformat2(handle, &rate, &channels, &encoding, 1) {
    case MPG123_OK.rawValue: break
    case MPG123_ERR.rawValue where isOutOfMemory: throw error("opening")
    default: return nil
    }
    guard rate > 0, channels == 1 || channels == 2 else { return nil }
    guard encoding == MPG123_ENC_FLOAT_32.rawValue else {
      throw DecodingError(
        scope: .engine, reason: .unusable, message: "This libmpg123 does not decode to 32-bit floats.")
    }
    return PCMFormat(sampleRate: rate, channelCount: Int(channels))
  }

  /// Returns the Info frame's number of frames, at least 2; nil without one. Valid only at the first frame.
  /// Without such a number libmpg123 returns the number of frames read, which is 1, so an announcement of 1 frame
  /// is ignored.
  func announcedFrameCount() -> Int64? {
    let count = Int64(mpg123_framelength(handle))
    return count > 1 ? count : nil
  }

  /// Returns the samples added by the encoder before and after the music, from the LAME tag (0 without one).
  /// Also returns the number added by the decoder before the music (529 in layer III, otherwise 0).
  func delays() -> CodecDelays {
    func state(_ key: mpg123_state) -> Int64 {
      var value = 0
      return mpg123_getstate2(handle, Int32(key.rawValue), &value, nil) == MPG123_OK.rawValue
        ? Int64(max(0, value)) : 0
    }
    return CodecDelays(
      encoderDelay: state(MPG123_ENC_DELAY), encoderPadding: state(MPG123_ENC_PADDING),
      decoderDelay: state(MPG123_DEC_DELAY))
  }

  func header() -> FrameHeader {
    var info = mpg123_frameinfo2()
    mpg123_info2(handle, &info)
    return FrameHeader(
      sampleRate: info.rate, bitrate: info.bitrate, vbr: info.vbr, byteCount: Int(info.framesize),
      samplesPerFrame: Int(mpg123_spf(handle)))
  }

  /// Returns the offset in the feed of the frame found last.
  @inline(__always)
  func framePosition() -> Int64 { Int64(mpg123_framepos(handle)) }

  /// Returns the offset in the feed at which the next frame is searched.
  func searchPosition() -> Int64 { Int64(mpg123_tell_stream(handle)) }

  /// Advances to the next frame without decoding it.
  @inline(__always)
  func next() throws(DecodingError) -> Step {
    switch mpg123_framebyframe_next(handle) {
    case MPG123_OK.rawValue: return .frame
    case MPG123_NEW_FORMAT.rawValue: return .newFormat
    case MPG123_NEED_MORE.rawValue: return .needsMore
    case MPG123_DONE.rawValue: return .end
    default: throw error("decoding")
    }
  }

  /// Returns the bytes of the frame found last. Invalid after that frame was decoded.
  @inline(__always)
  func frameData() -> FrameData {
    var header: UInt = 0
    var body: UnsafeMutablePointer<UInt8>?
    var byteCount = 0
    guard mpg123_framedata(handle, &header, &body, &byteCount) == MPG123_OK.rawValue else {
      return FrameData(header: 0, body: UnsafeBufferPointer(start: nil, count: 0))
    }
    return FrameData(
      header: UInt32(truncatingIfNeeded: header), body: UnsafeBufferPointer(start: body, count: byteCount))
  }

  /// Decodes the frame found last and returns its samples, in libmpg123's own buffer, valid until the next
  /// call. Call at most once per frame.
  @inline(__always)
  func decode() throws(DecodingError) -> UnsafeBufferPointer<Float> {
    var number: off_t = 0
    var bytes: UnsafeMutablePointer<UInt8>?
    var byteCount = 0
    guard mpg123_framebyframe_decode(handle, &number, &bytes, &byteCount) == MPG123_OK.rawValue else {
      throw error("decoding")
    }
    return UnsafeBufferPointer(
      start: bytes.map { UnsafePointer(UnsafeRawPointer($0).assumingMemoryBound(to: Float.self)) },
      count: byteCount / MemoryLayout<Float>.size)
  }

  private var isOutOfMemory: Bool {
    let code = mpg123_errcode(handle)
    return code == MPG123_OUT_OF_MEM.rawValue || code == MPG123_NO_BUFFERS.rawValue
  }

  private func error(_ activity: String) -> DecodingError {
    let message = "\(activity) failed: \(String(cString: mpg123_strerror(handle)))"
    guard !isOutOfMemory else { return DecodingError(scope: .engine, reason: .unusable, message: message) }
    return DecodingError(reason: .decodeFailed, message: message)
  }
}
