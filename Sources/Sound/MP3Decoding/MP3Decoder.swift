import AudioCore

/// Decodes and converts one MPEG audio source with libmpg123. Must be used by one thread at a time.
final class MP3Decoder: PieceDecoder {
  /// The number of consecutive frames without decoded samples at which decoding fails.
  private static let idleLimit = 64

  let format: PCMFormat
  let bitRate: Int
  private(set) var damage = 0

  let reader: FrameReader
  private let stream: MP3Opening.Stream?
  let header: FrameHeader
  let audioStart: Int64
  /// The table of the frames read. After a jump, the skipped frames count as read.
  var table: MPEGFrameTable
  var offsets = FrameOffsets()
  private(set) var outputFormat: PCMFormat
  private var converter: RateConverter?
  var failure: DecodingError?
  /// The bits and seconds decoded since the last `takeBitRate`, and its last result.
  private var decoded = (bits: 0.0, seconds: 0.0)
  private var recentBitRate: Double

  /// The format of the pending samples of the decoded frame, which are valid until the next step.
  private var decodedFormat: PCMFormat
  private var pending: UnsafePointer<Float>?
  var pendingCount = 0
  /// The run in which the next frame is expected, and the next sample in it.
  private var run = 0
  private var nextSample: Int64 = 0
  var isAtEnd = false
  private var target: Int64?
  /// Whether a seek is in progress. No samples can be read until it ends.
  var isLooking = false
  /// The known frames from the first one on, after a jump; nil without a jump.
  var beginning: KnownFrames?
  /// Whether the frame numbers are certain. May be false after a jump.
  var isCertain = true
  /// The frame at which a jump aims and the target of its seek, until a frame was found.
  var landing: (frame: Int64, target: Int64)?
  /// Whether the reader must be moved before the next step, because the decoder has returned from a jump.
  var isAdrift = false
  /// Whether jumps are no longer attempted.
  var isJumpless = false
  /// The cached estimate; nil if a new one is needed.
  var knownEstimate: FrameEstimate?
  /// Whether the reader is at a frame that is yet to be decoded.
  var isAtNext = true
  /// Whether the last step found no frame in the available bytes.
  private var isStarved = false
  /// The end of the furthest frame read, so that damage is counted only once.
  var furthestEnd: Int64

  /// Creates a decoder for `reader`, which must be at its first frame. `stream`: nil unless live.
  init(_ reader: FrameReader, stream: MP3Opening.Stream? = nil) {
    let frame = reader.frame
    self.reader = reader
    self.stream = stream
    format = frame.format
    decodedFormat = frame.format
    outputFormat = frame.format
    header = reader.header
    audioStart = frame.start
    table =
      stream == nil
      ? reader.frameTable
      : MPEGFrameTable(
        format: frame.format, samplesPerFrame: frame.samplesPerFrame, announcedFrames: nil,
        delays: CodecDelays())
    bitRate = reader.bitRate(audioSize: reader.source.size.map { max(0, $0 - frame.start) })
    recentBitRate = Double(bitRate)
    furthestEnd = frame.end
    offsets.note(0, offset: frame.start)
  }

  var frameCount: FrameCount {
    // Estimated frame numbers say nothing about the length, so the frames known from the beginning count.
    let known = isCertain ? nil : beginning
    let (table, end) = (known?.table ?? table, known?.furthestEnd ?? furthestEnd)
    return table.frameCount(
      bytesLeft: reader.source.size.map { max(0, $0 - end) }, bytesPerFrame: meanFrameSize)
  }

  /// The mean size of the frames read, in bytes. While fewer than 32 were read, the mean size by the first
  /// header.
  var meanFrameSize: Double {
    let seen = beginning?.table.framesSeen ?? table.framesSeen
    let end = beginning?.furthestEnd ?? furthestEnd
    return seen < 32 ? header.meanByteCount : Double(end - audioStart) / Double(seen)
  }

  func takeBitRate() -> Double {
    if decoded.seconds > 0 {
      recentBitRate = decoded.bits / decoded.seconds
      decoded = (0, 0)
    }
    return recentBitRate
  }

  var bytesPerSecond: Double {
    meanFrameSize * Double(format.sampleRate) / Double(max(1, header.samplesPerFrame))
  }

  var supply: MediaSupply {
    let frame = reader.frame
    let there = reader.source.supply(from: frame.end)
    let size = meanFrameSize
    guard there != .all, size > 0, frame.format.sampleRate > 0 else { return .all }
    let secondsPerFrame = Double(frame.samplesPerFrame) / Double(frame.format.sampleRate)
    // All available bytes were fed and no further frame was found, so they contain none.
    let isStarved = isStarved && frame.end + there.byteCount <= reader.fedEnd
    return MediaSupply(
      seconds: isStarved ? 0 : (Double(there.byteCount) / size).rounded(.down) * secondsPerFrame,
      isComplete: there.isComplete, pace: there.bytesPerSecond.map { $0 / size * secondsPerFrame },
      isFull: there.isFull)
  }

  func readReplayGain() throws(DecodingError) -> ReplayGain {
    try ReplayGainTags.read(reader.source, audioStart: audioStart)
  }

  func setOutputFormat(_ format: PCMFormat) throws(DecodingError) {
    guard (1...384_000).contains(format.sampleRate), (1...2).contains(format.channelCount) else {
      throw DecodingError(scope: .engine, reason: .unusable, message: "Impossible output format: \(format).")
    }
    guard format != outputFormat else { return }
    outputFormat = format
    converter = nil
    // The last seek prepared the run-up of another conversion, so it is repeated.
    guard let target, !isLooking else { return }
    try guarding { () throws(DecodingError) in try go(to: target) }
  }

  /// Reads the rest of the source without decoding, so that `frameCount` is exact, unless the Info frame
  /// announces the length. Returns false while bytes are missing; the caller repeats the call once bytes have
  /// arrived. Must not be called after the first `read`.
  func measureLength() throws(DecodingError) -> Bool {
    guard table.announcedFrames == nil else { return true }
    return try guarding { () throws(DecodingError) in
      guard try walk(toFrame: .max) else { return false }
      try go(to: 0)
      return true
    }
  }

  func seek(toFrame frame: Int64, isExact: Bool) throws(DecodingError) -> Int64? {
    try guarding { () throws(DecodingError) in
      // 2^48 frames are 200 years; the bound keeps the arithmetic from overflowing.
      var target = min(max(0, frame), 1 << 48)
      guard try jump(towards: &target, isExact: isExact) else { return nil }
      while !table.isComplete {
        if let length = table.announcedLength, let frames = table.announcedFrames, target >= length,
          table.framesSeen <= frames
        {
          // Audio after the announced end can only be detected by reading.
          guard try walk(toFrame: frames + 1) else { return nil }
          continue
        }
        let place = table.place(of: target)
        if place.frame < table.framesSeen { break }
        guard try walk(toFrame: place.frame + 1) else { return nil }
      }
      if table.isComplete { target = min(target, table.lengthSeen) }
      self.target = target
      try go(to: target)
      return target
    }
  }

  // MARK: - Delivering

  func deliver(
    to output: UnsafeMutablePointer<Float>, capacity: Int
  ) throws(DecodingError) -> DecoderRead {
    if isLooking { return .waiting }
    while true {
      if let converter, converter.hasOutput {
        return .frames(converter.take(into: output, capacity: capacity))
      }
      guard pendingCount > 0, let samples = pending else {
        switch try decodeFrame() {
        case .frame: continue
        case .waiting: return .waiting
        case .end:
          if let converter, converter.flush() { continue }
          return .end
        }
      }
      if let converter, converter.source != decodedFormat {
        // The converter's remaining output must precede the new format.
        if converter.flush() { continue }
        self.converter = nil
      }
      let used: Int
      var made = 0
      if decodedFormat.sampleRate == outputFormat.sampleRate {
        used = min(capacity, pendingCount)
        made = used
        ChannelMixing.convert(
          samples, channels: decodedFormat.channelCount, to: output, channels: outputFormat.channelCount,
          count: used)
      } else {
        if converter == nil { converter = try RateConverter(from: decodedFormat, to: outputFormat) }
        used = converter?.feed(samples, count: pendingCount) ?? 0
      }
      pendingCount -= used
      pending = samples + used * decodedFormat.channelCount
      if made > 0 { return .frames(made) }
    }
  }

  private func decodeFrame() throws(DecodingError) -> FrameReader.Step {
    var idle = 0
    while idle < MP3Decoder.idleLimit {
      if isAtEnd { return .end }
      if !isAtNext {
        let step = try nextFrame()
        guard case .frame = step else { return step }
      }
      isAtNext = false
      let frame = reader.frame
      let samples = try reader.decode()
      let channels = frame.format.channelCount
      let count = samples.count / channels
      guard count > 0, let start = samples.baseAddress else {
        idle += 1
        continue
      }
      idle = 0
      if let range = audible(frame: frame.number, count: count) {
        stream?.onFrame(frame.start, table.position(ofSample: nextSample - Int64(range.count), in: run))
        decodedFormat = frame.format
        decoded.bits += Double(frame.byteCount * 8)
        decoded.seconds += Double(frame.samplesPerFrame) / Double(frame.format.sampleRate)
        pending = start + range.lowerBound * channels
        pendingCount = range.count
        return .frame
      }
    }
    throw DecodingError(
      reason: .decodeFailed,
      message: "libmpg123 decodes no sound from \(MP3Decoder.idleLimit) frames in a row.")
  }

  /// Returns the samples of a frame to deliver; nil if all are cut or precede the target.
  @inline(__always)
  private func audible(frame: Int64, count: Int) -> Range<Int>? {
    while run + 1 < table.runs.count, table.runs[run + 1].firstFrame <= frame {
      run += 1
      nextSample = 0
    }
    let current = table.runs[run]
    let first = (frame - current.firstFrame) * current.samplesPerFrame - current.cut.start
    let from = max(first, nextSample)
    let end = min(first + Int64(count), current.cut.length)
    guard from < end else { return nil }
    nextSample = end
    return Int(from - first)..<Int(end - first)
  }

  // MARK: - Moving

  /// Makes `position` the next frame to deliver. Its MPEG frame must have been read before.
  private func go(to position: Int64) throws(DecodingError) {
    pendingCount = 0
    converter = nil
    isLooking = false
    isAtEnd = table.isComplete && position >= table.lengthSeen
    guard !isAtEnd else { return }
    let start = start(for: position)
    (run, nextSample) = (start.run, start.sample)
    let source = table.runs[run].format
    if source.sampleRate != outputFormat.sampleRate {
      converter = try RateConverter(from: source, to: outputFormat, preceding: Int(start.runUp))
    }
    guard let entry = offsets.last(upTo: start.decoding.firstNeeded) else { return }
    isAtNext = false
    isAdrift = false
    try reader.move(to: start.decoding.frame, phase: start.decoding.phase, from: entry)
  }

  /// Returns the first sample to use for `position`, with its run, and the start of decoding. `runUp`: the number
  /// of samples between that sample and `position`; 0 without conversion.
  func start(
    for position: Int64
  ) -> (run: Int, sample: Int64, runUp: Int64, decoding: MPEGFrameTable.DecodingStart) {
    let place = table.place(of: position)
    let source = table.runs[place.run].format
    let isConverted = source.sampleRate != outputFormat.sampleRate
    let runUp = isConverted ? RateConverter.runUp(from: source, to: outputFormat) : 0
    let found = table.stepBack(from: place, by: Int64(runUp))
    let decoding = table.decodingStart(for: table.frame(ofSample: found.sample, in: found.run))
    return (found.run, found.sample, found.distance, decoding)
  }

  /// Reads headers until `frame` frames are known, or to the end. Returns false while bytes are missing.
  func walk(toFrame frame: Int64) throws(DecodingError) -> Bool {
    pendingCount = 0
    isLooking = true
    isAtNext = false
    if let last = offsets.last(), isAdrift || reader.frame.number < last.frame {
      try reader.move(to: last)
      isAdrift = false
    }
    while table.framesSeen < frame {
      switch try nextFrame() {
      case .frame: continue
      case .end: return true
      case .waiting: return false
      }
    }
    return true
  }

  private func nextFrame() throws(DecodingError) -> FrameReader.Step {
    var found = try reader.next()
    // A failed search after the announced end marks the end, because the remaining bytes are not audio.
    if found == nil, table.framesSeen >= table.announcedFrames ?? .max { found = .end }
    guard let step = found else { throw reader.noFrame }
    isStarved = false
    switch step {
    case .frame: try noticeFrame()
    case .end: noticeEnd()
    case .waiting: isStarved = true
    }
    return step
  }

  // MARK: - Bookkeeping

  @inline(__always)
  func noticeFrame() throws(DecodingError) {
    let frame = reader.frame
    let isNew = frame.number == table.framesSeen
    guard table.note(frame.number, samplesPerFrame: frame.samplesPerFrame, format: frame.format) else {
      throw DecodingError(reason: .decodeFailed, message: "The file changes its format again and again.")
    }
    if frame.hasCRC { table.hasCRC = true }
    if let end = reader.previousEnd, frame.start > end, end >= furthestEnd,
      !Recognition.isTag(reader.source, at: end)
    {
      damage += Int(frame.start - end)
    }
    furthestEnd = max(furthestEnd, frame.end)
    if isNew { offsets.note(frame.number, offset: frame.start) }
  }

  private func noticeEnd() {
    isAtEnd = true
    guard !table.isComplete else { return }
    table.complete()
    guard isCertain else { return }
    if let announced = table.announcedFrames { damage += Int(max(0, announced - table.framesSeen)) }
  }
}
