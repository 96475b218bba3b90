import AudioCore
import Synchronization

@testable import PlaybackEngine

/// A live stream whose frames come when the test says so: number `n` since it began sounds like frame `n` of synthetic
/// media, also where the listener did not hear all that came before.
final class LiveMedia: MediaSource {
  fileprivate struct State {
    /// Frames that were sent, and the first of them that is still to be had.
    var sent: Int64 = 0
    var first: Int64 = 0
    var holds: [Bool] = []
    var openDecoders = 0
    var tags: [TimedTag] = []
    var callbacks: [@Sendable () -> Void] = []
  }

  static let patience = 10.0

  let number: Int
  fileprivate let state = Mutex(State())

  init(number: Int) { self.number = number }

  /// What the decoder was told: that the player stands still, or goes on.
  var holds: [Bool] { state.withLock { $0.holds } }
  var openDecoders: Int { state.withLock { $0.openDecoders } }

  /// So many frames are sent.
  func send(_ count: Int64) {
    let callbacks = state.withLock {
      $0.sent += count
      return $0.callbacks
    }
    for callback in callbacks { callback() }
  }

  /// All that was sent and not read is gone.
  func forget() { state.withLock { $0.first = $0.sent } }

  /// It says `title` from that frame of the sent ones on.
  func say(_ title: String, at frame: Int64) {
    state.withLock { $0.tags.append(TimedTag(frame: frame, tag: Self.tag(title))) }
  }

  static func tag(_ title: String) -> MediaTag {
    MediaTag(fields: [MediaTag.Field(icy: "StreamTitle", title)])
  }

  func open(whenBytesCome callback: @escaping @Sendable () -> Void) -> MediaOpening {
    state.withLock { $0.callbacks.append(callback) }
    return MediaOpening { () throws(DecodingError) in
      self.state.withLock { $0.sent > 0 } ? LiveMediaDecoder(self) : nil
    }
  }
}

private final class LiveMediaDecoder: AudioDecoder {
  private let media: LiveMedia
  /// The frame that is counted as 0, and the next one to be read, both of those sent.
  private var start: Int64
  private var next: Int64
  private var tags: [TimedTag] = []

  init(_ media: LiveMedia) {
    self.media = media
    start = media.state.withLock {
      $0.openDecoders += 1
      return $0.first
    }
    next = start
  }

  deinit { media.state.withLock { $0.openDecoders -= 1 } }

  let format = PCMFormat(sampleRate: 44_100, channelCount: 2)
  var frameCount: FrameCount { .unknown }
  var live: LiveStream? {
    LiveStream(tag: MediaTag(fields: [MediaTag.Field(icy: "icy-name", "Lab")]), patience: LiveMedia.patience)
  }
  var supply: MediaSupply {
    let sent = media.state.withLock { $0.sent }
    return MediaSupply(seconds: Double(max(0, sent - next)) / 44_100, isComplete: false)
  }

  func hold(_ isHeld: Bool) { media.state.withLock { $0.holds.append(isHeld) } }

  func takeTags() -> [TimedTag] {
    defer { tags = [] }
    return tags
  }

  func setOutputFormat(_ format: PCMFormat) throws(DecodingError) {}

  func seek(toFrame frame: Int64, isExact: Bool) throws(DecodingError) -> Int64? {
    let target = min(frame, next - start)
    next = max(start + target, media.state.withLock { $0.first })
    start = next - target
    return target
  }

  func read(into buffer: UnsafeMutableBufferPointer<Float>) throws(DecodingError) -> DecoderRead {
    let (first, sent, all) = media.state.withLock { ($0.first, $0.sent, $0.tags) }
    if next < first {
      start += first - next
      next = first
    }
    let count = Int(min(Int64(buffer.count / 2), sent - next))
    guard count > 0 else { return .waiting }
    for index in 0..<count {
      let sample = SyntheticMedia.sample(number: media.number, frame: next + Int64(index))
      buffer[index * 2] = sample
      buffer[index * 2 + 1] = -sample
    }
    for tag in all where tag.frame >= next && tag.frame < next + Int64(count) {
      tags.append(TimedTag(frame: tag.frame - start, tag: tag.tag))
    }
    next += Int64(count)
    return .frames(count)
  }
}
