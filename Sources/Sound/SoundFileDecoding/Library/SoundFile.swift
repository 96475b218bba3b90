import AudioCore

/// An opened sound file, read with at most two channels. Used by one thread at a time.
final class SoundFile {
  /// The maximum number of frames that are read at once if channels are mixed.
  private static let blockSize = 1024

  private let handle: SoundFileHandle
  private let mix: ChannelMix?
  private let block: UnsafeMutablePointer<Float>
  let format: PCMFormat
  /// The length in frames; nil if the file does not state it, or if an Ogg file's end was missing when it was opened.
  let frameCount: Int64?
  /// The number of frames before a target at which decoding must begin to be exact.
  let runUp: Int64
  /// Whether `jump` may be used. False for an Ogg file whose end was missing when it was opened, and for a file in which
  /// a jump has failed.
  var canJump: Bool
  /// The number of the next frame to read.
  private(set) var position: Int64 = 0

  /// Creates a reader of the opened file. Throws if its sample rate or number of channels cannot be played.
  init(_ handle: consuming SoundFileHandle, kind: SoundFileKind) throws(DecodingError) {
    let (rate, channels) = (handle.sampleRate, handle.channelCount)
    guard (1000...384_000).contains(rate), (1...256).contains(channels) else {
      throw DecodingError(
        reason: .notRecognized,
        message: "\(channels) channels at \(rate) Hz cannot be played: 1 to 256 at 1000 to 384000 Hz can.")
    }
    mix = channels > 2 ? ChannelMix(handle.channelMap, channels: channels, isVorbis: kind == .ogg) : nil
    format = PCMFormat(sampleRate: rate, channelCount: min(channels, 2))
    let count = handle.frameCount
    frameCount = (0..<OggEnd.frameCount / 2).contains(count) ? count : nil
    runUp = kind == .ogg ? Int64(rate) : 0
    canJump = kind != .ogg || !handle.file.hasSkipped
    block = .allocate(capacity: mix == nil ? 1 : Self.blockSize * channels)
    self.handle = handle
  }

  deinit { block.deallocate() }

  var bytes: VirtualFile { handle.file }

  /// Whether the library found damage in the last read. It then delivers wrong frames, or none until the file is opened
  /// again.
  var hasDamage: Bool { handle.hasError }

  /// Reads up to `count` frames and returns their number; 0 at the end, and if bytes are missing or
  /// unreadable, which `bytes` reports.
  func read(into samples: UnsafeMutablePointer<Float>, count: Int) -> Int {
    let read: Int
    if let mix {
      read = handle.read(into: block, count: min(count, Self.blockSize))
      mix.apply(to: block, count: read, into: samples)
    } else {
      read = handle.read(into: samples, count: count)
    }
    position += Int64(read)
    return read
  }

  /// Moves to `frame` without decoding. Returns false if the library cannot seek there, or if bytes are
  /// missing or unreadable.
  func jump(to frame: Int64) -> Bool {
    guard handle.seek(to: frame) else { return false }
    position = frame
    return true
  }
}
