import AudioCore
import CMPG123
import Glibc
import Synchronization

/// Counts the libmpg123 and libsyn123 handles that a test makes, so that it can assert that none is left. Bound to
/// the test's task: other tests of the process, which run beside it, have handles of their own.
final class LiveHandles: Sendable {
  /// The counter of the present task; nil outside of tests.
  @TaskLocal static var current: LiveHandles?

  private let counter = Atomic<Int>(0)

  var count: Int { counter.load(ordering: .relaxed) }
  func add() { counter.add(1, ordering: .relaxed) }
  func remove() { counter.subtract(1, ordering: .relaxed) }
}

/// What the header of an MPEG frame says.
struct FrameHeader: Equatable {
  /// 0 for MPEG 1, 1 for MPEG 2, 2 for MPEG 2.5: `mpg123_version`.
  var version: Int32
  /// 1…3.
  var layer: Int32
  var sampleRate: Int
  var channelCount: Int
  /// `mpg123_mode`.
  var mode: Int32
  /// kbit/s; 0 for free format.
  var bitrate: Int32
  /// `mpg123_vbr`, as far as the file says.
  var vbr: Int32
  /// Bytes, header included.
  var byteCount: Int
  /// Samples per channel.
  var samplesPerFrame: Int

  /// Bytes that a frame of this bit rate has on average: with padding, the single frame has a fraction more or less.
  var meanByteCount: Double {
    guard bitrate > 0, sampleRate > 0 else { return Double(byteCount) }
    return Double(bitrate) * 125 * Double(samplesPerFrame) / Double(sampleRate)
  }
}

/// A libmpg123 handle. All calls into that library are in this file.
///
/// One thread at a time. After a call threw, the handle may only be destroyed: libmpg123 does not promise more
/// (1.33.7 fixed a double free after a failed call).
struct MPG123Handle: ~Copyable {
  /// What came out of a step through the file.
  enum Step {
    /// A frame. In decoding steps, its samples are in `DecodedFrame`.
    case frame
    /// The frame that comes next has another format; step again.
    case newFormat
    /// The file's end.
    case end
  }

  /// One decoded MPEG frame: interleaved floats in libmpg123's own buffer, valid until the next call.
  struct DecodedFrame {
    var number: Int64 = 0
    var samples: UnsafePointer<Float>?
    var sampleCount = 0
  }

  /// What a handle is made for.
  enum Purpose {
    /// Decoding: tags are skipped, not parsed. Code that does not run cannot be exploited.
    case decoding
    /// Reading tags.
    case metadata
  }

  /// Bytes that are searched for a header after damage. One damaged sector is more than libmpg123's own 1024.
  private static let resyncLimit = 1 << 20

  /// Entries in the table of frame positions. Fixed, so that memory is bounded: libmpg123 doubles the distance
  /// between entries when it is full. 4096 is one entry per 34 frames of an hour of music.
  private static let indexSize = 4096

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

  /// A handle that reads through `reader`, opened but not yet looked into: with libmpg123 1.31 opening succeeds on
  /// anything, and only `readFormat` tells. `reader` must outlive it.
  static func open(
    _ reader: SourceReader, for purpose: Purpose
  ) throws(DecodingError) -> MPG123Handle {
    var code: Int32 = 0
    guard let pointer = mpg123_new(nil, &code) else {
      throw DecodingError(
        scope: .engine, reason: .unusable,
        message: "libmpg123 cannot be used: \(String(cString: mpg123_plain_strerror(code))).")
    }
    let handle = MPG123Handle(adopting: pointer)
    var flags = MPG123_QUIET.rawValue | MPG123_FORCE_FLOAT.rawValue
    switch purpose {
    case .decoding: flags |= MPG123_SKIP_ID3V2.rawValue
    case .metadata: flags |= MPG123_PICTURE.rawValue
    }
    try handle.set(MPG123_ADD_FLAGS, Int(flags))
    // Delay and padding are cut by `GaplessCut`: libmpg123's own cut makes seeks behind the announced end of a
    // concatenated file inexact (88 to 856 samples off in 1.31.2).
    try handle.set(MPG123_REMOVE_FLAGS, Int(MPG123_GAPLESS.rawValue | MPG123_AUTO_RESAMPLE.rawValue))
    try handle.set(MPG123_RESYNC_LIMIT, resyncLimit)
    try handle.set(MPG123_INDEX_SIZE, indexSize)
    // The run-up before a seek's target is the caller's; libmpg123's smallest is one frame.
    try handle.set(MPG123_PREFRAMES, 1)
    let replaced = mpg123_replace_reader_handle(
      pointer,
      { reader, destination, count in
        guard let reader, let destination else { return -1 }
        return Unmanaged<SourceReader>.fromOpaque(reader).takeUnretainedValue().read(
          into: destination, count: count)
      },
      { reader, offset, whence in
        guard let reader else { return -1 }
        return off_t(
          Unmanaged<SourceReader>.fromOpaque(reader).takeUnretainedValue().seek(
            to: Int64(offset), whence: whence))
      },
      nil)
    guard replaced == MPG123_OK.rawValue,
      mpg123_open_handle(pointer, Unmanaged.passUnretained(reader).toOpaque()) == MPG123_OK.rawValue
    else { throw reader.failure ?? handle.error("opening") }
    return handle
  }

  private func set(_ parameter: mpg123_parms, _ value: Int) throws(DecodingError) {
    guard mpg123_param2(handle, Int32(parameter.rawValue), value, 0) == MPG123_OK.rawValue else {
      throw error("setting up")
    }
  }

  /// Finds the first frame and returns the format that it decodes to; nil if there is no MPEG audio.
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

  /// The number of frames that the file's Info frame announces; nil without one.
  ///
  /// Where libmpg123 has no such number it falls back on the file's size, then on what it has read; the latter is
  /// 1 when called before the first decoded frame, and a file that really announces 1 frame loses nothing.
  func announcedFrameCount(fileSize: Int64?) -> Int64? {
    mpg123_set_filesize(handle, 0)
    let count = Int64(mpg123_framelength(handle))
    mpg123_set_filesize(handle, off_t(fileSize ?? -1))
    return count > 1 ? count : nil
  }

  /// Samples that the encoder put before and after the music, by the LAME tag (0 without one), and that the decoder
  /// adds before it (529 in layer III, else 0).
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

  /// The header of the frame that was read last.
  func header() -> FrameHeader {
    var info = mpg123_frameinfo2()
    mpg123_info2(handle, &info)
    return FrameHeader(
      version: info.version, layer: info.layer, sampleRate: info.rate,
      channelCount: info.mode == Int32(MPG123_M_MONO.rawValue) ? 1 : 2, mode: info.mode,
      bitrate: info.bitrate,
      vbr: info.vbr, byteCount: Int(info.framesize), samplesPerFrame: Int(mpg123_spf(handle)))
  }

  /// Where in the source the frame that was read last begins.
  @inline(__always)
  func framePosition() -> Int64 { Int64(mpg123_framepos(handle)) }

  /// Decodes the next frame.
  @inline(__always)
  func decode(_ frame: inout DecodedFrame) throws(DecodingError) -> Step {
    var number: off_t = 0
    var bytes: UnsafeMutablePointer<UInt8>?
    var byteCount = 0
    let result = mpg123_decode_frame(handle, &number, &bytes, &byteCount)
    guard result == MPG123_OK.rawValue else {
      frame.sampleCount = 0
      return try step(result)
    }
    frame.number = Int64(number)
    frame.samples = bytes.map { UnsafePointer(UnsafeRawPointer($0).assumingMemoryBound(to: Float.self)) }
    frame.sampleCount = byteCount / MemoryLayout<Float>.size
    return .frame
  }

  /// Goes on to the next frame without decoding it.
  func skipFrame() throws(DecodingError) -> Step { try step(mpg123_framebyframe_next(handle)) }

  /// The number of the frame that `skipFrame` found.
  func currentFrame() -> Int64 { Int64(mpg123_tellframe(handle)) }

  /// Makes `frame` the next one, by decoding from the frame before it on if there is one.
  ///
  /// By samples, because `mpg123_seek_frame` stops at the announced end of a concatenated file; libmpg123 divides
  /// by the same number at once.
  func seek(toFrame frame: Int64) throws(DecodingError) {
    let target = off_t(frame) * off_t(mpg123_spf(handle))
    guard mpg123_seek(handle, target, SEEK_SET) >= 0 else { throw error("seeking") }
  }

  /// What ID3 tags have, copied.
  struct Tags {
    /// The 128 bytes of an ID3v1 tag.
    var version1: [UInt8]?
    /// Text fields of an ID3v2 tag: four letters and UTF-8, several strings divided by zero bytes.
    var texts: [(id: String, value: [UInt8])] = []
    var pictures: [MP3Metadata.Picture] = []
  }

  /// The tags that were read up to now. libmpg123's pointers die with the next call, so all is copied here.
  func tags() -> Tags {
    var tags = Tags()
    var version1: UnsafeMutablePointer<mpg123_id3v1>?
    var version2: UnsafeMutablePointer<mpg123_id3v2>?
    guard mpg123_id3(handle, &version1, &version2) == MPG123_OK.rawValue else { return tags }
    if let version1 { tags.version1 = Array(UnsafeRawBufferPointer(start: version1, count: 128)) }
    guard let version2 = version2?.pointee else { return tags }
    for text in UnsafeBufferPointer(start: version2.text, count: version2.texts) {
      let id = withUnsafeBytes(of: text.id) { String(decoding: $0, as: UTF8.self) }
      tags.texts.append((id, MPG123Handle.bytes(of: text.text, limit: ID3Text.limit)))
    }
    for picture in UnsafeBufferPointer(start: version2.picture, count: version2.pictures) {
      let type = MPG123Handle.bytes(of: picture.mime_type, limit: 64)
      tags.pictures.append(
        MP3Metadata.Picture(
          type: UInt8(bitPattern: picture.type), mimeType: ID3Text.clean(type) ?? "",
          data: Array(
            UnsafeRawBufferPointer(start: picture.data, count: picture.data == nil ? 0 : picture.size))))
    }
    return tags
  }

  /// A string's bytes without the zero that ends it.
  private static func bytes(of string: mpg123_string, limit: Int) -> [UInt8] {
    guard let start = string.p, string.fill > 1 else { return [] }
    return Array(UnsafeRawBufferPointer(start: start, count: min(string.fill - 1, limit)))
  }

  private func step(_ result: Int32) throws(DecodingError) -> Step {
    switch result {
    case MPG123_OK.rawValue: return .frame
    case MPG123_NEW_FORMAT.rawValue: return .newFormat
    case MPG123_DONE.rawValue: return .end
    default: throw error("decoding")
    }
  }

  private var isOutOfMemory: Bool {
    let code = mpg123_errcode(handle)
    return code == MPG123_OUT_OF_MEM.rawValue || code == MPG123_NO_BUFFERS.rawValue
  }

  private func error(_ activity: String) -> DecodingError {
    let text = String(cString: mpg123_strerror(handle))
    guard !isOutOfMemory else {
      return DecodingError(scope: .engine, reason: .unusable, message: "\(activity) failed: \(text)")
    }
    return DecodingError(reason: .decodeFailed, message: "\(activity) failed: \(text)")
  }
}
