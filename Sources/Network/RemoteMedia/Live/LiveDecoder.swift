import AudioCore
import Transfer

/// Decodes a live stream across its connections. After a lost connection, a new decoder starts with the bytes
/// of the next one, and frame numbers continue in reading order. Used by one thread at a time.
final class LiveDecoder: AudioDecoder {
  /// The maximum number of delivered tags in `told`, which a seek back can deliver again. More than the MPEG frames
  /// that are decoded ahead of the output.
  private static let toldLimit = 512

  let format: PCMFormat
  let bitRate: Int
  let live: LiveStream?
  private(set) var damage = 0

  private let connections: LiveConnections
  private let counter: FrameCounter
  /// The current connection's decoder, and the stream's frame number at which the decoder starts.
  private var part: (decoder: any AudioDecoder, start: Int64)?
  /// Whether frames were read from the current decoder.
  private var isBegun = false
  private var outputFormat: PCMFormat
  /// The target of the last seek, and the number of output frames read since.
  private var origin: Int64
  private var readFrames: Int64 = 0
  private var tags: [TimedTag] = []
  /// The frames and the byte offsets of the last delivered tags, at most `toldLimit`.
  private var told: [(frame: Int64, offset: Int64)] = []
  private var isHeld = false
  private var failure: DecodingError?

  /// Creates a decoder that starts with `first`, the current decoder of `connections`.
  init(_ connections: LiveConnections, first: any AudioDecoder, frames counter: FrameCounter) {
    let station = connections.fetch.snapshot.station
    self.connections = connections
    self.counter = counter
    format = first.format
    bitRate = station?.bitRate ?? first.bitRate
    live = LiveStream(tag: MediaTag(station), patience: NetworkLimits.livePause)
    outputFormat = first.format
    origin = counter.value
    part = (first, origin)
    connections.onFrame = { [unowned self] offset, frame in notice(frame, at: offset) }
  }

  var frameCount: FrameCount { .unknown }

  var supply: MediaSupply { connections.supply }

  func hold(_ isHeld: Bool) {
    guard isHeld != self.isHeld else { return }
    self.isHeld = isHeld
    connections.hold(isHeld)
  }

  func takeBitRate() -> Double { part?.decoder.takeBitRate() ?? Double(bitRate) }

  func takeTags() -> [TimedTag] {
    defer { tags = [] }
    return tags
  }

  func setOutputFormat(_ format: PCMFormat) throws(DecodingError) {
    outputFormat = format
    try part?.decoder.setOutputFormat(format)
  }

  func seek(toFrame frame: Int64, isExact: Bool) throws(DecodingError) -> Int64? {
    if let failure { throw failure }
    let target = min(max(0, frame), max(place, counter.value))
    if let present = try present() {
      do throws(DecodingError) {
        let wanted = max(0, target - present.start)
        let inside = try present.decoder.seek(
          toFrame: wanted.scaled(by: present.decoder.format.sampleRate, over: format.sampleRate))
        guard let inside else { return nil }
        let reached = inside.scaled(by: format.sampleRate, over: present.decoder.format.sampleRate)
        // If other audio has replaced the audio at the position, the frame that was reached counts as the
        // requested one.
        if abs(reached - wanted) > 1 || target < present.start { part?.start = target - reached }
      } catch {
        try recover(from: error)
      }
    }
    origin = target
    readFrames = 0
    told.removeAll { $0.frame >= target }
    tags = []
    return target
  }

  func read(into buffer: UnsafeMutableBufferPointer<Float>) throws(DecodingError) -> DecoderRead {
    if let failure { throw failure }
    while true {
      guard let present = try present() else { return .waiting }
      do throws(DecodingError) {
        switch try present.decoder.read(into: buffer) {
        case .frames(let count):
          isBegun = true
          readFrames += Int64(count)
          counter.set(max(counter.value, place))
          return .frames(count)
        case .waiting: return .waiting
        case .end: connections.next()
        }
      } catch {
        try recover(from: error)
      }
    }
  }

  private var place: Int64 {
    origin + readFrames.scaled(by: format.sampleRate, over: outputFormat.sampleRate)
  }

  /// Returns the decoder to read from, and the number of its first frame; nil while bytes are missing.
  private func present() throws(DecodingError) -> (decoder: any AudioDecoder, start: Int64)? {
    let decoder: (any AudioDecoder)?
    do throws(DecodingError) {
      decoder = try connections.decoder()
    } catch {
      failure = error
      throw error
    }
    if let part, part.decoder === decoder { return part }
    damage += part?.decoder.damage ?? 0
    part = nil
    isBegun = false
    guard let decoder else { return nil }
    try decoder.setOutputFormat(outputFormat)
    part = (decoder, place)
    return part
  }

  private func recover(from error: DecodingError) throws(DecodingError) {
    do throws(DecodingError) {
      try connections.recover(from: error, isBegun: isBegun)
    } catch {
      failure = error
      throw error
    }
  }

  /// Delivers the newest metadata for the MPEG frame at byte `offset` or for an earlier byte, unless already
  /// delivered.
  private func notice(_ frame: Int64, at offset: Int64) {
    guard let part, let metadata = connections.fetch.metadata(upTo: offset),
      metadata.offset > told.last?.offset ?? -1
    else { return }
    let frame = part.start + frame.scaled(by: format.sampleRate, over: part.decoder.format.sampleRate)
    tags.append(TimedTag(frame: frame, tag: MediaTag(metadata.value)))
    told.append((frame, metadata.offset))
    if told.count > Self.toldLimit { told.removeFirst() }
  }
}

extension MediaTag {
  fileprivate init(_ station: ICYStation?) {
    self.init(icy: [("icy-name", station?.name), ("icy-genre", station?.genre), ("icy-url", station?.url)])
  }

  fileprivate init(_ metadata: ICYMetadata) {
    self.init(icy: [("StreamTitle", metadata.title), ("StreamUrl", metadata.url)])
  }

  private init(icy fields: [(key: String, text: String?)]) {
    self.init(fields: fields.compactMap { key, text in text.map { Field(icy: key, $0) } })
  }
}
