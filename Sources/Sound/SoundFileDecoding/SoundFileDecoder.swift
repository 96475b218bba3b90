import AudioCore
import MP3Decoding

/// Decodes and converts one sound file with libsndfile. Must be used by one thread at a time.
///
/// The library cannot wait for bytes. Before each read the decoder therefore checks whether enough bytes are
/// available. If a read lacks some nevertheless, the file is opened again when they have arrived, and
/// continues at the same frame.
final class SoundFileDecoder: PieceDecoder {
  /// The maximum number of frames that are decoded at once for a conversion.
  private static let blockSize = 1024
  /// The number of bytes that a read is assumed to need: the initial and the maximum value.
  private static let lookahead: ClosedRange<Int64> = 16 * 1024...1 << 20
  /// The number of frames first skipped after damage: a block of a read, and the longest usual block of FLAC (4608).
  private static let damageStep: Int64 = 6 * 1024

  let format: PCMFormat
  private let source: any ByteSource
  private let kind: SoundFileKind
  private let base: Int64
  /// The offset of the first byte after the headers.
  private let start: Int64
  private var file: SoundFile
  /// The attempt to open the file again, after bytes were missing or to decode from the beginning; nil if none is in
  /// progress.
  private var reopening: SoundFileOpening?
  /// The frame at which decoding continues, if the file is not there yet.
  private var target: Int64?
  /// The number of frames from `target` on that are only the converter's run-up.
  private var runUp = 0
  private var lookahead = SoundFileDecoder.lookahead.lowerBound
  /// The length in frames that was found by reading to the end.
  private var foundLength: Int64?
  private var isAtEnd = false
  /// Whether reading has met damage in a FLAC file.
  private var isDamaged = false
  /// The first frame of a damaged part, while an intact frame after it is searched.
  private var damageStart: Int64?
  /// The number of frames of silence to deliver, in place of damaged ones, before the file's position.
  private var silence: Int64 = 0
  /// The total number of frames that silence replaced.
  private var silenced = 0
  /// Whether the library failed to find a frame, so that the file is decoded from its beginning instead.
  private var isJumpless = false
  var failure: DecodingError?

  private(set) var outputFormat: PCMFormat
  private var converter: RateConverter?
  private let block: UnsafeMutablePointer<Float>
  /// The frames in `block` that are yet to be delivered.
  private var pending = 0..<0
  /// Bytes and frames at the last measurement of the bit rate, and its result.
  private var measured = (bytes: Int64(0), frame: Int64(0))
  private var recentBitRate: Double?

  init(_ file: SoundFile, _ opening: SoundFileOpening) {
    self.file = file
    (source, kind, base) = (opening.source, opening.kind, opening.base)
    format = file.format
    outputFormat = file.format
    start = file.bytes.offset
    block = .allocate(capacity: Self.blockSize * file.format.channelCount)
    measured.bytes = file.bytes.position
  }

  deinit { block.deallocate() }

  func setOutputFormat(_ format: PCMFormat) throws(DecodingError) {
    guard (1...384_000).contains(format.sampleRate), (1...2).contains(format.channelCount) else {
      throw DecodingError(scope: .engine, reason: .unusable, message: "Impossible output format: \(format).")
    }
    guard format != outputFormat else { return }
    outputFormat = format
    // The target of a seek before this call still applies.
    try aim(at: target.map { $0 + Int64(runUp) } ?? file.position - silence)
  }

  // MARK: Seeking

  func seek(toFrame frame: Int64, isExact: Bool) throws(DecodingError) -> Int64? {
    try guarding { () throws(DecodingError) in
      let goal = min(max(0, frame), length ?? 1 << 46)
      try aim(at: goal)
      guard try arrive() else { return nil }
      // A file without a stated length may end before the goal.
      return min(goal, length ?? goal)
    }
  }

  /// Makes `frame` the next one to deliver.
  private func aim(at frame: Int64) throws(DecodingError) {
    pending = 0..<0
    isAtEnd = false
    damageStart = nil
    silence = 0
    converter = nil
    runUp = 0
    if format.sampleRate != outputFormat.sampleRate {
      runUp = Int(min(frame, Int64(RateConverter.runUp(from: format, to: outputFormat))))
      converter = try RateConverter(from: format, to: outputFormat, preceding: runUp)
    }
    target = frame - Int64(runUp)
  }

  /// Moves the file to the target. Returns false while bytes are missing.
  private func arrive() throws(DecodingError) -> Bool {
    guard let target else { return true }
    guard try reopen() else { return false }
    if let length, target >= length { return finish(isAtEnd: true) }
    if mustRestart(for: target) {
      reopening = SoundFileOpening(file, kind: kind)
      guard try reopen() else { return false }
    }
    if file.position > target || file.canJump && target - file.position > file.runUp {
      let isThere = file.jump(to: max(0, target - file.runUp))
      guard try !lacksBytes() else { return false }
      guard isThere else { return try arrive(after: target) }
      source.want(from: file.bytes.offset)
    }
    while file.position < target {
      guard try source.has(lookahead, from: file.bytes.offset) else { return false }
      let count = file.read(into: block, count: Int(min(Int64(Self.blockSize), target - file.position)))
      guard try !lacksBytes() else { return false }
      if count == 0 {
        if kind == .flac, file.hasDamage, damageStart == nil, let length,
          length - file.position <= Self.damageStep
        {
          // The library failed to find a frame because of this damage, and can jump to others.
          (isDamaged, isJumpless) = (true, false)
          reopening = SoundFileOpening(file, kind: kind)
          silence = length - target
        } else {
          foundLength = file.position
        }
        return finish(isAtEnd: true)
      }
    }
    return finish(isAtEnd: false)
  }

  /// Moves the file to a frame after `frame`, which the library cannot decode. Without one, a damaged file ends there,
  /// after silence in place of at most `damageStep` frames, and any other is decoded from its beginning. Returns false
  /// while bytes are missing.
  private func arrive(after frame: Int64) throws(DecodingError) -> Bool {
    let damage = damageStart ?? frame
    let next = damage + max(Self.damageStep, 2 * (frame - damage))
    // After an error the library fails until the file is opened again.
    reopening = SoundFileOpening(file, kind: kind)
    if kind == .flac, let length, next < length {
      (damageStart, target) = (damage, next)
      return try arrive()
    }
    damageStart = nil
    guard !isDamaged else {
      if let length, length - damage <= Self.damageStep {
        silence = length - damage
      } else {
        foundLength = damage
      }
      return finish(isAtEnd: true)
    }
    isJumpless = true
    target = damage
    return try arrive()
  }

  private func finish(isAtEnd: Bool) -> Bool {
    self.isAtEnd = isAtEnd
    if let start = damageStart.take(), let target { silence = target - start }
    target = nil
    // The bit rate is not that of skipped frames.
    measured = (file.bytes.position, file.position)
    return true
  }

  /// Returns whether the file must be opened again, because `target` is reached only from the beginning or
  /// because the file can then jump.
  private func mustRestart(for target: Int64) -> Bool {
    if isJumpless { return target < file.position }
    guard !file.canJump else { return false }
    return target < file.position
      || target - file.position > file.runUp && source.supply(from: base).isComplete
  }

  /// Completes `reopening`, if it is not nil. Returns false while bytes are missing.
  private func reopen() throws(DecodingError) -> Bool {
    guard let new = try reopening?.proceed() else { return reopening == nil }
    guard new.format == format else {
      throw DecodingError(reason: .decodeFailed, message: "The file has changed.")
    }
    file = new
    file.canJump = file.canJump && !isJumpless
    reopening = nil
    return true
  }

  /// Returns whether the library lacked bytes since the file was opened. If so, requests them and sets `reopening`.
  /// Throws the error of a failed read.
  private func lacksBytes() throws(DecodingError) -> Bool {
    if let error = file.bytes.failure { throw error }
    guard let missing = file.bytes.missing else { return false }
    file.bytes.fill(missing)
    reopening = SoundFileOpening(file, kind: kind, missing: missing)
    lookahead = min(lookahead * 2, Self.lookahead.upperBound)
    return true
  }

  /// Reads a file without a stated length to its end, so that `frameCount` is exact. Returns false while bytes
  /// are missing; call the method again when they have arrived. Must not be called after the first `read`.
  func measureLength() throws(DecodingError) -> Bool {
    try guarding { () throws(DecodingError) in
      if length == nil {
        if target == nil { try aim(at: 1 << 46) }
        guard try arrive() else { return false }
        try aim(at: 0)
      }
      return try arrive()
    }
  }

  // MARK: Reading

  func deliver(
    to output: UnsafeMutablePointer<Float>, capacity: Int
  ) throws(DecodingError) -> DecoderRead {
    let channels = format.channelCount
    if outputFormat == format { return try decode(into: output, capacity: capacity) }
    while true {
      if let converter, converter.hasOutput {
        return .frames(converter.take(into: output, capacity: capacity))
      }
      if pending.isEmpty {
        switch try decode(into: block, capacity: Self.blockSize) {
        case .frames(let count): pending = 0..<count
        case .waiting: return .waiting
        case .end:
          if let converter, converter.flush() { continue }
          return .end
        }
      }
      let input = block + pending.lowerBound * channels
      if let converter {
        let used = converter.feed(input, count: pending.count)
        pending = pending.lowerBound + used..<pending.upperBound
      } else {
        let count = min(capacity, pending.count)
        ChannelMixing.convert(
          input, channels: channels, to: output, channels: outputFormat.channelCount, count: count)
        pending = pending.lowerBound + count..<pending.upperBound
        return .frames(count)
      }
    }
  }

  /// Decodes up to `capacity` frames in the file's format and returns their number, the end or `waiting`.
  private func decode(
    into samples: UnsafeMutablePointer<Float>, capacity: Int
  ) throws(DecodingError) -> DecoderRead {
    guard try reopen(), try arrive() else { return .waiting }
    if silence > 0 {
      let count = min(capacity, Int(silence))
      samples.update(repeating: 0, count: count * format.channelCount)
      silence -= Int64(count)
      silenced += count
      return .frames(count)
    }
    if isAtEnd { return .end }
    if let length, file.position >= length { return .end }
    guard try source.has(lookahead, from: file.bytes.offset) else { return .waiting }
    let position = file.position
    // A read with damage is discarded, so it must not be longer than necessary.
    let count = file.read(into: samples, count: kind == .flac ? min(capacity, Self.blockSize) : capacity)
    let hasDamage = file.hasDamage
    if try lacksBytes() {
      target = position
      return .waiting
    }
    if kind == .flac, hasDamage, file.canJump, let length, file.position < length {
      isDamaged = true
      guard try arrive(after: position) else { return .waiting }
      return try decode(into: samples, capacity: capacity)
    }
    if count == 0 { foundLength = position }
    return count == 0 ? .end : .frames(count)
  }

  /// The length in frames: found by reading to the end, otherwise as the file states it; nil if neither is
  /// known.
  private var length: Int64? { foundLength ?? file.frameCount }
}

// MARK: - Properties

extension SoundFileDecoder {
  var frameCount: FrameCount {
    if let length { return .exact(length) }
    guard let size = source.size, let bytes = measuredBytesPerSecond else { return .unknown }
    // Clamped to 2^46 frames (46 years at 48 kHz), because a server may announce any size and `Int64` traps
    // on overflow.
    return .estimate(Int64(min(Double(size - start) / bytes * Double(format.sampleRate), 0x1p46)))
  }

  /// The number of frames that silence has replaced, and of those that the file states and does not have.
  var damage: Int {
    silenced + Int(clamping: foundLength.map { max(0, (file.frameCount ?? $0) - $0) } ?? 0)
  }

  /// The mean bit rate, in bits per second. Clamped to 1e12, because a server may announce any size.
  var bitRate: Int { Int(min(bytesPerSecond * 8, 1e12)) }

  /// The mean bytes per second of the whole file or of the part read, or a guess.
  private var bytesPerSecond: Double {
    if let length, length > 0, let size = source.size, size > start {
      return Double(size - start) * Double(format.sampleRate) / Double(length)
    }
    return measuredBytesPerSecond ?? (kind == .ogg ? 16_000 : Double(format.sampleRate * format.channelCount))
  }

  /// The mean bytes per second of the part before the read position; nil for less than a second.
  private var measuredBytesPerSecond: Double? {
    guard file.position >= format.sampleRate, file.bytes.offset > start else { return nil }
    return Double(file.bytes.offset - start) * Double(format.sampleRate) / Double(file.position)
  }

  /// Returns the bit rate over the last span of at least a second, because the library reads in blocks. Before the
  /// first such span, returns `bitRate`.
  func takeBitRate() -> Double {
    let (bytes, frame) = (file.bytes.position, file.position)
    if frame < measured.frame || bytes < measured.bytes {
      measured = (bytes, frame)
    } else if frame - measured.frame >= format.sampleRate {
      recentBitRate =
        Double(bytes - measured.bytes) * 8 * Double(format.sampleRate) / Double(frame - measured.frame)
      measured = (bytes, frame)
    }
    return recentBitRate ?? Double(bitRate)
  }

  var supply: MediaSupply {
    let there = source.supply(from: reopening?.missing ?? file.bytes.offset)
    guard there != .all else { return .all }
    let bytes = there.isComplete ? there.byteCount : max(0, there.byteCount - lookahead)
    return MediaSupply(
      seconds: Double(bytes) / bytesPerSecond, isComplete: there.isComplete,
      pace: there.bytesPerSecond.map { $0 / bytesPerSecond }, isFull: there.isFull)
  }

  var extent: MediaExtent? {
    guard let stored = source.stored else { return nil }
    let length = frameCount.value.map { Double($0) / Double(format.sampleRate) }
    func seconds(_ offset: Int64) -> Double {
      if let size = source.size, offset >= size, let length { return length }
      return min(Double(max(0, offset - start)) / bytesPerSecond, length ?? .infinity)
    }
    let loaded = stored.map { seconds($0.lowerBound)..<max(seconds($0.lowerBound), seconds($0.upperBound)) }
    return MediaExtent(longest: loaded, isSeekable: source.isSeekable)
  }

  func setReadAhead(_ readAhead: MediaReadAhead) {
    source.setReadAhead(readAhead.byteCount(bytesPerSecond: bytesPerSecond))
  }

  func readReplayGain() throws(DecodingError) -> ReplayGain {
    try SoundFileTags.replayGain(of: source, kind, base: base)
  }
}
