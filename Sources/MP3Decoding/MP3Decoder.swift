import AudioCore

/// Decodes one MPEG audio file with libmpg123 and converts it to the wanted format.
///
/// Used by one thread at a time.
final class MP3Decoder: AudioDecoder {
  /// Bytes that may be read without finding a frame: twice the resync limit, since libmpg123 reads some twice.
  static let searchBudget = 2 << 20
  /// The same for a seek, where up to one step of the position table lies before the frame.
  private static let seekBudget = 64 << 20
  private static let broken = DecodingError(reason: .decodeFailed, message: "The decoder does not get on.")
  /// Calls of libmpg123 in a row that may bring nothing. One format change brings one.
  private static let idleLimit = 64

  let format: PCMFormat
  let bitRate: Int
  private(set) var damage = 0

  private let reader: SourceReader
  private let handle: MPG123Handle
  private let bytesPerFrame: Double
  private let audioStart: Int64
  private var table: MPEGFrameTable
  private var outputFormat: PCMFormat
  private var converter: RateConverter?
  private var failure: DecodingError?

  /// The format that libmpg123 delivers now.
  private var decodedFormat: PCMFormat
  private var decoded = MPG123Handle.DecodedFrame()
  /// What of the decoded frame is still to be delivered; valid until the next call of libmpg123.
  private var pending: UnsafePointer<Float>?
  private var pendingCount = 0
  /// The run that the next frame is expected in, and the sample of it that comes next.
  private var run = 0
  private var nextSample: Int64 = 0
  private var isAtEnd = false
  /// Where the last seek went.
  private var target: Int64?
  /// The frame that libmpg123 read last, whether it has decoded it, and whether the next one follows it.
  private var lastFrame: Int64 = 0
  private var isLastDecoded = false
  private var isContiguous = true
  /// How many slots went through the filter bank's ring of 16: libmpg123 does not turn it back when it seeks.
  private var ring: Int64 = 0
  /// Where the furthest frame ends that was read, so that nothing is counted twice.
  private var furthestEnd: Int64

  /// Opens `source` at its beginning.
  init(source: any ByteSource) throws(DecodingError) {
    let reader = SourceReader(source: source)
    let stream = try MP3Stream.open(reader, for: .decoding)
    self.reader = reader
    format = stream.format
    decodedFormat = stream.format
    outputFormat = stream.format
    bytesPerFrame = stream.header.meanByteCount
    audioStart = stream.handle.framePosition()
    table = stream.frameTable()
    bitRate = stream.bitRate(
      of: table, audioSize: reader.size.map { [audioStart] in max(0, $0 - audioStart) })
    furthestEnd = audioStart + Int64(stream.header.byteCount)
    handle = stream.takeHandle()
  }

  var frameCount: FrameCount {
    // The mean of what was read is better than the first header as soon as there is something to take it of.
    let seen = table.framesSeen
    let mean = seen < 32 ? bytesPerFrame : Double(furthestEnd - audioStart) / Double(seen)
    return table.frameCount(
      bytesLeft: reader.size.map { max(0, $0 - furthestEnd) }, bytesPerFrame: mean)
  }

  func readReplayGain() throws(DecodingError) -> ReplayGain {
    try ReplayGainTags.read(reader, audioStart: audioStart)
  }

  func setOutputFormat(_ format: PCMFormat) throws(DecodingError) {
    guard (1...384_000).contains(format.sampleRate), (1...2).contains(format.channelCount) else {
      throw DecodingError(scope: .engine, reason: .unusable, message: "Impossible output format: \(format).")
    }
    guard format != outputFormat else { return }
    outputFormat = format
    converter = nil
    // A seek before this has prepared the run-up of another conversion.
    guard let target else { return }
    try guarding { () throws(DecodingError) in try go(to: target) }
  }

  /// Reads through the rest of the file without decoding it, so that `frameCount` is exact. Only before the first
  /// `read`.
  func measureLength() throws(DecodingError) {
    guard table.announcedFrames == nil else { return }
    try guarding { () throws(DecodingError) in
      try walk(toFrame: .max)
      try go(to: 0)
    }
  }

  func seek(toFrame frame: Int64) throws(DecodingError) -> Int64 {
    try guarding { () throws(DecodingError) -> Int64 in
      // 2^48 frames are 200 years; the bound keeps the arithmetic from overflowing.
      var target = min(max(0, frame), 1 << 48)
      while !table.isComplete {
        if let length = table.announcedLength, let frames = table.announcedFrames, target >= length,
          table.framesSeen <= frames
        {
          // Whether anything comes behind the announced end is only known by looking.
          try walk(toFrame: frames + 1)
          continue
        }
        let place = table.place(of: target)
        if place.frame < table.framesSeen { break }
        try walk(toFrame: place.frame + 1)
      }
      if table.isComplete { target = min(target, table.lengthSeen) }
      self.target = target
      try go(to: target)
      return target
    }
  }

  func read(into buffer: UnsafeMutableBufferPointer<Float>) throws(DecodingError) -> Int {
    if let failure { throw failure }
    guard let base = buffer.baseAddress else { return 0 }
    let channels = outputFormat.channelCount
    let capacity = buffer.count / channels
    var written = 0
    do throws(DecodingError) {
      while written < capacity {
        let made = try deliver(to: base + written * channels, capacity: capacity - written)
        if made == 0 { break }
        written += made
      }
    } catch {
      // What was decoded before the damage is delivered first; the error comes with the next call.
      failure = error
      if written == 0 { throw error }
    }
    return written
  }

  // MARK: - Delivering

  /// Writes at least one frame and at most `capacity`; 0 at the end.
  @inline(__always)
  private func deliver(to output: UnsafeMutablePointer<Float>, capacity: Int) throws(DecodingError) -> Int {
    while true {
      if let converter, converter.hasOutput { return converter.take(into: output, capacity: capacity) }
      guard pendingCount > 0, let samples = pending else {
        if try decodeFrame() { continue }
        if let converter, converter.flush() { continue }
        return 0
      }
      if let converter, converter.source != decodedFormat {
        // The old format's rest belongs before the new format.
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
      if made > 0 { return made }
    }
  }

  /// Decodes until there is something to deliver. False at the end.
  private func decodeFrame() throws(DecodingError) -> Bool {
    guard !isAtEnd else { return false }
    var idle = 0
    while idle < MP3Decoder.idleLimit {
      let before = reader.position
      let step: MPG123Handle.Step
      do throws(DecodingError) {
        step = try handle.decode(&decoded)
      } catch {
        step = try recovered(from: error)
      }
      switch step {
      case .newFormat:
        idle += 1
        try updateFormat()
      case .end:
        try noticeEnd()
        isAtEnd = true
        return false
      case .frame:
        let channels = decodedFormat.channelCount
        let count = decoded.sampleCount / channels
        guard count > 0, let samples = decoded.samples else {
          idle += 1
          continue
        }
        idle = 0
        try notice(decoded.number, samplesPerFrame: count, format: decodedFormat, before: before)
        notice(decoded: decoded.number, count: count)
        if let range = audible(frame: decoded.number, count: count) {
          pending = samples + range.lowerBound * channels
          pendingCount = range.count
          return true
        }
      }
    }
    throw MP3Decoder.broken
  }

  /// The samples of a frame that are to be delivered; nil if all of it is cut or lies before the target.
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

  /// Makes `position`, which must have been seen, the next frame to be delivered.
  private func go(to position: Int64) throws(DecodingError) {
    pendingCount = 0
    converter = nil
    isAtEnd = table.isComplete && position >= table.lengthSeen
    guard !isAtEnd else { return }
    let place = table.place(of: position)
    run = place.run
    nextSample = place.sample
    let source = table.runs[run].format
    if source.sampleRate != outputFormat.sampleRate {
      let runUp = RateConverter.runUp(from: source, to: outputFormat)
      let found = table.stepBack(from: place, by: Int64(runUp))
      run = found.run
      nextSample = found.sample
      converter = try RateConverter(from: source, to: outputFormat, preceding: Int(found.distance))
    }
    let frame = table.frame(ofSample: nextSample, in: run)
    var start = table.runUpFrame(for: frame, in: run, phase: ring)
    if table.phase(ofFrame: start.frame, in: start.run) != ring {
      try turnRing(to: table.phase(ofFrame: start.frame, in: start.run))
      start = table.runUpFrame(for: frame, in: run, phase: ring)
    }
    try move(toFrame: start.frame)
  }

  /// Lets the filter bank's ring stand at `phase`, by decoding some of the first frames. Where the file has not
  /// enough of them it stays as it is: then the last bit of a sample may differ from linear decoding.
  private func turnRing(to phase: Int64) throws(DecodingError) {
    try move(toFrame: 0)
    for _ in 0..<8 where ring != phase {
      switch try handle.decode(&decoded) {
      case .frame: notice(decoded: decoded.number, count: decoded.sampleCount / decodedFormat.channelCount)
      case .newFormat: try updateFormat()
      case .end: return
      }
    }
  }

  /// Lets libmpg123 go on from `frame`, which is known: decoding, or skipping through headers.
  private func move(toFrame frame: Int64, skipping: Bool = false) throws(DecodingError) {
    reader.budget = MP3Decoder.seekBudget
    // libmpg123 decodes and drops the frame before the one it is told, unless it has just decoded it; in front of
    // `skipFrame` only if it has not read it yet.
    let target = frame == 0 ? 0 : frame + 1
    let isDropped = frame > 0 && (skipping ? lastFrame == frame - 1 : lastFrame != frame || !isLastDecoded)
    do throws(DecodingError) {
      try handle.seek(toFrame: target)
    } catch {
      throw explained(error)
    }
    if isDropped { ring = (ring + table.runs[table.run(ofFrame: frame)].slotsPerFrame) & 15 }
    reader.budget = MP3Decoder.seekBudget
    isContiguous = false
    try updateFormat()
  }

  /// Reads headers until `frame` frames are known, or to the end.
  private func walk(toFrame frame: Int64) throws(DecodingError) {
    pendingCount = 0
    try move(toFrame: max(0, table.framesSeen - 2), skipping: true)
    while table.framesSeen < frame {
      let before = reader.position
      let step: MPG123Handle.Step
      do throws(DecodingError) {
        step = try handle.skipFrame()
      } catch {
        step = try recovered(from: error)
      }
      // It may be the last known frame once more, or the next. A new format is no trouble here: the header says
      // it, for each frame.
      if case .end = step {
        try noticeEnd()
        break
      }
      let header = handle.header()
      let format = PCMFormat(sampleRate: header.sampleRate, channelCount: header.channelCount)
      try notice(
        handle.currentFrame(), samplesPerFrame: header.samplesPerFrame, format: format, before: before)
      isLastDecoded = false
    }
  }

  private func updateFormat() throws(DecodingError) {
    guard let format = try handle.readFormat() else {
      throw DecodingError(
        reason: .decodeFailed, message: "The file changes to a format that cannot be decoded.")
    }
    decodedFormat = format
  }

  // MARK: - Noticing

  /// Notes a frame that was read from `before` on.
  @inline(__always)
  private func notice(
    _ number: Int64, samplesPerFrame: Int, format: PCMFormat, before: Int64
  ) throws(DecodingError) {
    guard table.note(number, samplesPerFrame: samplesPerFrame, format: format) else {
      throw DecodingError(reason: .decodeFailed, message: "The file changes its format again and again.")
    }
    let start = handle.framePosition()
    if start > before, isContiguous, before >= furthestEnd, !Recognition.isTag(reader, at: before) {
      damage += Int(start - before)
    }
    lastFrame = number
    isContiguous = true
    furthestEnd = max(furthestEnd, reader.position)
    reader.budget = MP3Decoder.searchBudget
  }

  /// Notes that a frame went through the filter bank.
  @inline(__always)
  private func notice(decoded number: Int64, count: Int) {
    lastFrame = number
    isLastDecoded = true
    ring = (ring + Int64(count / 32)) & 15
  }

  /// Notes what libmpg123 calls the end; a failed read may look like it.
  private func noticeEnd() throws(DecodingError) {
    if let failure = reader.failure { throw failure }
    if reader.isExhausted, table.framesSeen < table.announcedFrames ?? .max {
      throw explained(MP3Decoder.broken)
    }
    guard !table.isComplete else { return }
    table.complete()
    if let announced = table.announcedFrames { damage += Int(max(0, announced - table.framesSeen)) }
  }

  // MARK: - Errors

  /// What to take a failed step for. Where the search for a frame fails behind the announced end, that is the end:
  /// what follows is not audio.
  private func recovered(from error: DecodingError) throws(DecodingError) -> MPG123Handle.Step {
    if reader.failure == nil, error.scope == .item, table.framesSeen >= table.announcedFrames ?? .max {
      return .end
    }
    throw explained(error)
  }

  private func explained(_ error: DecodingError) -> DecodingError {
    if let failure = reader.failure { return failure }
    guard reader.isExhausted else { return error }
    return DecodingError(
      reason: .decodeFailed,
      message: "No MPEG frame was found in the next \(MP3Decoder.searchBudget >> 20) MiB.")
  }

  private func guarding<Value>(_ body: () throws(DecodingError) -> Value) throws(DecodingError) -> Value {
    if let failure { throw failure }
    do throws(DecodingError) {
      return try body()
    } catch {
      failure = error
      throw error
    }
  }
}
