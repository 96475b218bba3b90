import AudioCore
import Synchronization

/// The media of an item, with the volume of its audio mix; silent while its track is not enabled.
struct MixedSource: MediaSource {
  let source: any MediaSource
  weak let item: AVPlayerItem?

  func open(whenBytesCome callback: @escaping @Sendable () -> Void) -> MediaOpening {
    let opening = source.open(whenBytesCome: callback)
    return MediaOpening { [weak item] () throws(DecodingError) in
      try opening.proceed().map { MixedDecoder($0, item: item) }
    }
  }

  func readTag() throws(DecodingError) -> MediaTag { try source.readTag() }
}

/// A decoder that gives its frames the volume that the item has for them when they are read.
private final class MixedDecoder: AudioDecoder {
  private let decoder: any AudioDecoder
  private weak let item: AVPlayerItem?
  private var output: PCMFormat
  /// Where the decoder was set last, in seconds, and frames of the output format that were read since.
  private var origin = 0.0
  private var offset: Int64 = 0

  init(_ decoder: any AudioDecoder, item: AVPlayerItem?) {
    self.decoder = decoder
    self.item = item
    output = decoder.format
  }

  var format: PCMFormat { decoder.format }
  var frameCount: FrameCount { decoder.frameCount }
  var damage: Int { decoder.damage }

  func setOutputFormat(_ format: PCMFormat) throws(DecodingError) {
    try decoder.setOutputFormat(format)
    output = format
  }

  func seek(toFrame frame: Int64) throws(DecodingError) -> Int64? {
    guard let reached = try decoder.seek(toFrame: frame) else { return nil }
    origin = Double(reached) / Double(decoder.format.sampleRate)
    offset = 0
    return reached
  }

  func read(into buffer: UnsafeMutableBufferPointer<Float>) throws(DecodingError) -> DecoderRead {
    let read = try decoder.read(into: buffer)
    guard case .frames(let count) = read else { return read }
    let frames = UnsafeMutableBufferPointer(rebasing: buffer[..<(count * output.channelCount)])
    let (isEnabled, curve) = item?.state.withLock { ($0.isTrackEnabled, $0.volumeCurve) } ?? (true, nil)
    if !isEnabled {
      frames.update(repeating: 0)
    } else if let curve {
      curve.apply(
        to: frames, channelCount: output.channelCount, sampleRate: output.sampleRate,
        from: origin + Double(offset) / Double(output.sampleRate))
    }
    offset += Int64(count)
    return read
  }
}
