import AudioCore
import Synchronization

@testable import PlaybackEngine

/// A medium whose frames come little by little, when the test says so.
final class SlowMedia: MediaSource {
  private struct State {
    var isOpen = false
    /// Frames that are there, from the beginning on.
    var count: Int64 = 0
    var pace: Double?
    var failure: DecodingError?
    var callbacks: [@Sendable () -> Void] = []
  }

  let media: SyntheticMedia
  /// Whether its decoder says what is there.
  let tells: Bool
  private let state = Mutex(State())

  init(_ media: SyntheticMedia, tells: Bool = false) {
    self.media = media
    self.tells = tells
  }

  /// Seconds of sound that come in a second.
  var pace: Double? {
    get { state.withLock { $0.pace } }
    set { state.withLock { $0.pace = newValue } }
  }

  /// So many more frames come; from now on it can be opened.
  func receive(_ count: Int64) {
    change {
      $0.isOpen = true
      $0.count = min(media.frames, $0.count + count)
    }
  }

  /// The rest will never come.
  func fail() { change { $0.failure = DecodingError(reason: .unreadable, message: "lost") } }

  private func change(_ body: (inout sending State) -> Void) {
    let callbacks = state.withLock {
      body(&$0)
      return $0.callbacks
    }
    for callback in callbacks { callback() }
  }

  /// How many frames are there; nil before it can be opened.
  fileprivate func there() throws(DecodingError) -> Int64? {
    let (isOpen, count, failure) = state.withLock { ($0.isOpen, $0.count, $0.failure) }
    if let failure { throw failure }
    return isOpen ? count : nil
  }

  func open(whenBytesCome callback: @escaping @Sendable () -> Void) -> MediaOpening {
    state.withLock { $0.callbacks.append(callback) }
    return MediaOpening { () throws(DecodingError) in
      try self.there().map { _ in SlowDecoder(self) }
    }
  }
}

private final class SlowDecoder: AudioDecoder {
  private let source: SlowMedia
  private let decoder: SyntheticDecoder
  private var position: Int64 = 0

  init(_ source: SlowMedia) {
    self.source = source
    decoder = SyntheticDecoder(media: source.media)
  }

  var format: PCMFormat { decoder.format }
  var frameCount: FrameCount { decoder.frameCount }
  var supply: MediaSupply {
    guard source.tells else { return .all }
    let count = (try? source.there()) ?? 0
    return MediaSupply(
      seconds: Double(count - position) / Double(format.sampleRate), isComplete: count == source.media.frames,
      pace: source.pace)
  }
  func setOutputFormat(_ format: PCMFormat) throws(DecodingError) { try decoder.setOutputFormat(format) }

  func seek(toFrame frame: Int64, isExact: Bool) throws(DecodingError) -> Int64? {
    let there = try source.there() ?? 0
    guard frame <= there else { return nil }
    position = try decoder.seek(toFrame: frame) ?? 0
    return position
  }

  /// Only without conversion.
  func read(into buffer: UnsafeMutableBufferPointer<Float>) throws(DecodingError) -> DecoderRead {
    if position == source.media.frames { return .end }
    var left: Int64 = 0
    var failure: DecodingError?
    do throws(DecodingError) { left = (try source.there() ?? 0) - position } catch { failure = error }
    if let failure { throw failure }
    guard left > 0 else { return .waiting }
    let read = try decoder.read(
      into: UnsafeMutableBufferPointer(rebasing: buffer.prefix(Int(clamping: left) * 2)))
    if case .frames(let count) = read { position += Int64(count) }
    return read
  }
}
