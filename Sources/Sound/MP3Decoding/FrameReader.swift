import AudioCore

/// Steps through a source's MPEG frames by feeding libmpg123. Must be used by one thread at a time. After an
/// error no method may be called.
final class FrameReader {
  enum Step {
    /// The reader has reached the next frame.
    case frame
    case end
    /// Bytes are missing. The next call repeats the step.
    case waiting
  }

  struct Frame {
    /// The number of the frame, from 0. The Info frame is not counted.
    var number: Int64 = -1
    var start: Int64 = 0
    /// The length in bytes, including the header.
    var byteCount = 0
    var format = PCMFormat(sampleRate: 0, channelCount: 0)
    var samplesPerFrame = 0
    /// Whether the frame has a checksum, whose two bytes leave less room for main data.
    var hasCRC = false

    var end: Int64 { start + Int64(byteCount) }
  }

  /// The number of bytes fed without finding a frame, apart from tags, after which the search fails.
  static let searchBudget = 2 << 20

  let source: any ByteSource
  private(set) var frame = Frame()
  /// The end of the preceding frame; nil if the current frame was not reached from it.
  private(set) var previousEnd: Int64?

  private let feed: SourceFeed
  private let handle: MPG123Handle
  /// The offset in the source at which the audio, or the search for it, begins.
  private let beginning: Int64
  /// The number of bytes fed without finding another frame, apart from tags, after which the search fails.
  private let budget: Int
  /// The offset in the source at which the current feed began.
  private var feedStart: Int64
  /// The offset of the frame with which the current feed begins, until that frame is found.
  private var expected: Int64?
  /// The target frame of a seek in progress, with the filter bank's ring position there in linear decoding.
  private var goal: (frame: Int64, phase: Int64)?
  private var prelude = DecodingPrelude()
  /// The bits of the last header that determine its format.
  private var kind: UInt32 = .max

  /// Creates a reader that searches for the first frame from `beginning`, the offset after a leading tag. The
  /// search fails after about `budget` bytes; for each later frame, after about `laterBudget` bytes.
  init(
    source: any ByteSource, beginning: Int64 = 0, budget: Int = FrameReader.searchBudget,
    laterBudget: Int = FrameReader.searchBudget
  ) throws(DecodingError) {
    self.source = source
    self.beginning = beginning
    self.budget = laterBudget
    feedStart = beginning
    feed = SourceFeed(source: source)
    feed.move(to: beginning)
    feed.budget = budget
    handle = try MPG123Handle.make()
    try handle.openFeed(at: .file)
  }

  /// The end of the fed bytes, as an offset in the source.
  var fedEnd: Int64 { feed.position }

  // MARK: Moving

  /// Advances to the next frame. Returns nil if the search has reached its limit; before the next call the
  /// reader must then be moved.
  func next() throws(DecodingError) -> Step? {
    while true {
      switch try handle.next() {
      case .frame:
        if try note(isNewFormat: false), try isThere() { return .frame }
      case .newFormat:
        if try note(isNewFormat: true), try isThere() { return .frame }
      case .needsMore:
        if feed.budget <= 0, !extendBudget() { return nil }
        switch try feed.feed(handle) {
        case .bytes: continue
        case .end: return .end
        case .notYet: return .waiting
        }
      case .end: return .end
      }
    }
  }

  /// Makes `entry` the next frame, to read headers only. Decoding needs the bit reservoir of earlier frames,
  /// which this method does not read.
  func move(to entry: FrameOffsets.Entry) throws(DecodingError) {
    goal = nil
    try open(at: .frame, offset: entry.offset)
    frame.number = entry.frame - 1
  }

  /// Makes `number` the next frame, for decoding. Reading begins at `entry`, since the bit reservoir needs
  /// earlier frames (see `MPEGFrameTable.DecodingStart`). `phase` is the ring position in linear decoding.
  func move(to number: Int64, phase: Int64, from entry: FrameOffsets.Entry) throws(DecodingError) {
    try move(to: entry)
    prelude.removeAll()
    goal = (number, phase)
  }

  /// Makes the next step search for a frame from `offset` on. After that step the caller must number the frame
  /// with `setNumber(_:)`.
  func search(from offset: Int64) throws(DecodingError) {
    goal = nil
    try open(at: .middle, offset: offset)
    frame.number = -1
  }

  func setNumber(_ number: Int64) { frame.number = number }

  /// Returns whether to report the frame just found. Frames on the way to a target are not reported.
  @inline(__always)
  private func isThere() throws(DecodingError) -> Bool { goal == nil ? true : try arrive() }

  private func arrive() throws(DecodingError) -> Bool {
    guard let goal else { return true }
    let is576 = frame.samplesPerFrame == 576
    let data = handle.frameData()
    guard frame.number >= goal.frame else {
      if is576 { prelude.gather(data) }
      return false
    }
    self.goal = nil
    // The first frame needs no prelude, because linear decoding begins with that frame too.
    guard frame.number > 0, is576 || goal.phase != 0 else { return true }
    let silence = prelude.frames(before: data.header, sampleRate: frame.format.sampleRate, phase: goal.phase)
    let number = frame.number
    try open(at: .frame, offset: frame.start)
    frame.number = number - 1
    feedStart -= Int64(silence.frames.count)
    try handle.feed(silence.frames, count: silence.frames.count)
    for _ in 0..<silence.count {
      _ = try handle.next()
      _ = try handle.decode()
    }
    return false
  }

  private func open(at start: MPG123Handle.FeedStart, offset: Int64) throws(DecodingError) {
    try handle.openFeed(at: start)
    feedStart = offset
    feed.move(to: offset)
    feed.budget = budget
    expected = start == .frame ? offset : nil
    frame.byteCount = 0
    kind = .max
  }

  /// Records the frame just found. Returns false if another frame was expected at the beginning of the feed, or
  /// if the format cannot be decoded: such a frame is skipped like other bytes between frames.
  @inline(__always)
  private func note(isNewFormat: Bool) throws(DecodingError) -> Bool {
    let start = feedStart + handle.framePosition()
    if let expected, start != expected {
      // The source has changed, or has free-format frames of several sizes. Read it again from the beginning.
      goal = nil
      try open(at: .file, offset: beginning)
      frame.number = -1
      return false
    }
    expected = nil
    let data = handle.frameData()
    // The bits for version, layer, checksum, sample rate and mode.
    let kind = data.header & 0x1F_0CC0
    if kind != self.kind || isNewFormat {
      guard try updateFormat(data) else { return false }
      self.kind = kind
    }
    previousEnd = frame.byteCount == 0 ? nil : frame.end
    frame.number += 1
    frame.start = start
    frame.byteCount = data.body.count + 4
    feed.budget = budget
    return true
  }

  /// Reads the format of the frame just found. Returns false if it cannot be decoded.
  private func updateFormat(_ data: MPG123Handle.FrameData) throws(DecodingError) -> Bool {
    guard let format = try handle.readFormat() else { return false }
    frame.format = format
    frame.hasCRC = data.header & 0x1_0000 == 0
    frame.samplesPerFrame = handle.header().samplesPerFrame
    // A zero bit rate marks free format.
    if frame.number < 0, data.header & 0xF000 == 0 {
      try handle.setFreeFormatSize(data.body.count - (data.header & 0x200 == 0 ? 0 : 1))
    }
    return true
  }

  /// Sets the search limit to `budget` bytes after the tag at the search position, as between two joined files.
  /// Returns false if no tag begins there, or if the tag was fed already or exceeds `ID3Frames.tagLimit`.
  private func extendBudget() -> Bool {
    let tag = feedStart + handle.searchPosition()
    guard let end = Recognition.tagEnd(source, at: tag), end > feed.position,
      end - tag <= ID3Frames.tagLimit
    else { return false }
    feed.budget = Int(end - feed.position) + budget
    return true
  }

  /// The error for a search that has reached its limit.
  var noFrame: DecodingError {
    DecodingError(reason: .decodeFailed, message: "No MPEG frame was found in the next \(budget >> 10) KiB.")
  }

  // MARK: Current frame

  /// Decodes the current frame and returns its interleaved samples, which are valid until the next call. Call
  /// at most once per frame.
  @inline(__always)
  func decode() throws(DecodingError) -> UnsafeBufferPointer<Float> { try handle.decode() }

  var header: FrameHeader { handle.header() }

  /// The Info frame's frame count; nil if missing or more than the source allows. Valid at the first frame.
  var announcedFrames: Int64? {
    // The shortest possible frame has 24 bytes.
    let most = source.size.map { $0 / 24 + 1 } ?? .max
    return handle.announcedFrameCount().flatMap { $0 <= most ? $0 : nil }
  }

  /// A frame table with the data of the Info frame. Valid only at the first frame.
  var frameTable: MPEGFrameTable {
    var table = MPEGFrameTable(
      format: frame.format, samplesPerFrame: frame.samplesPerFrame, announcedFrames: announcedFrames,
      delays: handle.delays())
    table.hasCRC = frame.hasCRC
    return table
  }

  /// Returns the mean bit rate of `audioSize` bytes, in bits per second. If the bit rate is constant, or the
  /// size or the announced length is unknown, returns that of the current frame. Valid only at the first frame.
  func bitRate(audioSize: Int64?) -> Int {
    let header = header
    var byteCount = header.meanByteCount
    var sampleCount = Int64(max(header.samplesPerFrame, 1))
    if header.vbr != 0, let audioSize, let count = frameTable.announcedLength, count > 0 {
      (byteCount, sampleCount) = (Double(audioSize), count)
    }
    return Int(min(byteCount * 8 * Double(header.sampleRate) / Double(sampleCount), 1e12).rounded())
  }
}
