import AudioCore
import Synchronization

/// The media of an item, with the volume of its audio mix and its player's ReplayGain. Silent while the track
/// is disabled.
struct MixedSource: MediaSource {
  let source: any MediaSource
  weak let item: AVPlayerItem?

  var isRemote: Bool { source.isRemote }

  func open(whenBytesCome callback: @escaping @Sendable () -> Void) -> MediaOpening {
    let opening = source.open(whenBytesCome: callback)
    return MediaOpening { [weak item] () throws(DecodingError) in
      try opening.proceed().map { MixedDecoder($0, item: item) }
    }
  }

  func readTag() throws(DecodingError) -> MediaTag { try source.readTag() }
}

/// A decoder that applies the current volume to its frames when they are read.
private final class MixedDecoder: AudioDecoder {
  private let decoder: any AudioDecoder
  private weak let item: AVPlayerItem?
  private var output: PCMFormat
  /// The position of the last seek, in seconds, and the number of frames of the output format read since.
  private var origin = 0.0
  private var offset: Int64 = 0
  /// The ReplayGain levels in the medium's tags; nil before they were read.
  private var replayGain: ReplayGain?

  init(_ decoder: any AudioDecoder, item: AVPlayerItem?) {
    self.decoder = decoder
    self.item = item
    output = decoder.format
  }

  var format: PCMFormat { decoder.format }
  var frameCount: FrameCount { decoder.frameCount }
  var bitRate: Int { decoder.bitRate }
  var supply: MediaSupply { decoder.supply }
  var extent: MediaExtent? { decoder.extent }
  var live: LiveStream? { decoder.live }
  var damage: Int { decoder.damage }

  func hold(_ isHeld: Bool) { decoder.hold(isHeld) }

  func takeBitRate() -> Double { decoder.takeBitRate() }

  func takeTags() -> [TimedTag] { decoder.takeTags() }

  func setOutputFormat(_ format: PCMFormat) throws(DecodingError) {
    try decoder.setOutputFormat(format)
    output = format
  }

  func setReadAhead(_ readAhead: MediaReadAhead) { decoder.setReadAhead(readAhead) }

  func seek(toFrame frame: Int64) throws(DecodingError) -> Int64? { try seek(toFrame: frame, isExact: true) }

  func seek(toFrame frame: Int64, isExact: Bool) throws(DecodingError) -> Int64? {
    guard let reached = try decoder.seek(toFrame: frame, isExact: isExact) else { return nil }
    origin = Double(reached) / Double(decoder.format.sampleRate)
    offset = 0
    return reached
  }

  func readReplayGain() throws(DecodingError) -> ReplayGain { try decoder.readReplayGain() }

  func read(into buffer: UnsafeMutableBufferPointer<Float>) throws(DecodingError) -> DecoderRead {
    let read = try decoder.read(into: buffer)
    guard case .frames(let count) = read else { return read }
    if let item {
      let frames = UnsafeMutableBufferPointer(rebasing: buffer[..<(count * output.channelCount)])
      let (isEnabled, curve, attachment) = item.state.withLock {
        ($0.isTrackEnabled, $0.volumeCurve, $0.attachment)
      }
      if !isEnabled { frames.update(repeating: 0) }
      if let core = attachment?.core, let kind = core.replayGain.withLock({ $0 }) {
        let factor = level(for: item, core).factor(kind)
        if factor != 1 { for index in frames.indices { frames[index] *= factor } }
      }
      curve?.apply(
        to: frames, channelCount: output.channelCount, sampleRate: output.sampleRate,
        from: origin + Double(offset) / Double(output.sampleRate))
    }
    offset += Int64(count)
    return read
  }

  /// Returns the medium's levels. Unreadable tags count as no levels: only the decoder decides whether the
  /// medium is playable.
  private func level(for item: AVPlayerItem, _ core: PlayerCore) -> ReplayGain {
    if let replayGain { return replayGain }
    let level = (try? decoder.readReplayGain()) ?? ReplayGain()
    replayGain = level
    if !level.ignored.isEmpty { core.tell(ignored: level.ignored, of: item) }
    return level
  }
}
