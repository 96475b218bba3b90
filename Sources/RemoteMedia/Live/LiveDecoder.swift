import AudioCore
import Transfer

/// Decodes a live stream over all its connections: behind a lost one a fresh decoder begins with what the next one brings,
/// and frames are counted on as they are read.
///
/// Used by one thread at a time.
final class LiveDecoder: AudioDecoder {
  /// Tags that a seek back can tell again: more than there are frames in what is decoded ahead of what is heard.
  private static let toldLimit = 512

  let format: PCMFormat
  let bitRate: Int
  let live: LiveStream?
  private(set) var damage = 0

  private let connections: LiveConnections
  private let counter: FrameCounter
  /// The present connection's decoder, and the stream's frame that is its first one.
  private var part: (decoder: any AudioDecoder, start: Int64)?
  /// Whether frames were read of it.
  private var isBegun = false
  private var outputFormat: PCMFormat
  /// Where the last seek went, and the output's frames that were read since.
  private var origin: Int64
  private var readFrames: Int64 = 0
  private var tags: [TimedTag] = []
  /// Tags that were told: to which frame they belong, and to which byte.
  private var told: [(frame: Int64, offset: Int64)] = []
  private var isHeld = false
  private var failure: DecodingError?

  /// A decoder that begins with `first`, the present one of `connections`. It counts on from what `counter` says.
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
    connections.fetch.tell(.hold(isHeld))
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

  func seek(toFrame frame: Int64) throws(DecodingError) -> Int64? {
    if let failure { throw failure }
    let target = min(max(0, frame), max(place, counter.value))
    if let present = try present() {
      do throws(DecodingError) {
        let wanted = max(0, target - present.start)
        let inside = try present.decoder.seek(
          toFrame: wanted.scaled(by: present.decoder.format.sampleRate, over: format.sampleRate))
        guard let inside else { return nil }
        let reached = inside.scaled(by: format.sampleRate, over: present.decoder.format.sampleRate)
        // Where other sound comes than was there, it counts as what was asked for.
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

  /// The frame that is read next.
  private var place: Int64 {
    origin + readFrames.scaled(by: format.sampleRate, over: outputFormat.sampleRate)
  }

  /// The decoder to read; nil while bytes are missing.
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

  /// Tells the newest metadata that belong to the MPEG frame which begins at `offset`, or to a byte before it, once.
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
  /// What a station says about itself.
  fileprivate init(_ station: ICYStation?) {
    let fields = [("icy-name", station?.name), ("icy-genre", station?.genre), ("icy-url", station?.url)]
    self.init(fields: fields.compactMap { key, text in text.map { Field(icy: key, $0) } })
  }

  /// What a station says about what it plays.
  fileprivate init(_ metadata: ICYMetadata) {
    let fields = [("StreamTitle", metadata.title), ("StreamUrl", metadata.url)]
    self.init(fields: fields.compactMap { key, text in text.map { Field(icy: key, $0) } })
  }
}
