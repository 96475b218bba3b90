import AudioCore

/// Steps through the MPEG frames of a source, which it feeds to libmpg123.
///
/// Used by one thread at a time. After it threw it is finished.
final class FrameReader {
  /// What a step comes to.
  enum Step {
    /// It is at the next frame.
    case frame
    /// There is no other frame.
    case end
    /// Bytes are missing. The next step is the same one.
    case waiting
  }

  /// A frame of the source.
  struct Frame {
    /// Counted from the first one, which has 0; the Info frame does not count.
    var number: Int64 = -1
    /// Where in the source it begins.
    var start: Int64 = 0
    /// Its length in bytes, header included.
    var byteCount = 0
    var format = PCMFormat(sampleRate: 0, channelCount: 0)
    /// Samples per channel.
    var samplesPerFrame = 0

    /// Where in the source it ends.
    var end: Int64 { start + Int64(byteCount) }
  }

  /// Bytes that may be fed without finding a frame.
  static let searchBudget = 2 << 20

  let source: any ByteSource
  /// The frame that it is at.
  private(set) var frame = Frame()
  /// Where the frame before that ends; nil if it came to it in another way.
  private(set) var previousEnd: Int64?

  private let feed: SourceFeed
  private let handle: MPG123Handle
  /// Where in the source the audio begins, or a search for it.
  private let beginning: Int64
  /// Bytes that may be fed without finding another frame.
  private let budget: Int
  /// Where in the source the present feed began.
  private var feedStart: Int64
  /// Where the frame begins that the present feed begins with, and that has not been found yet.
  private var expected: Int64?
  /// The frame that it is under way to, and how the filter bank's ring stands there in linear decoding.
  private var goal: (frame: Int64, phase: Int64)?
  private var prelude = DecodingPrelude()
  /// What of a header says which format it is of.
  private var kind: UInt32 = .max

  /// A reader that looks for the first frame at `beginning`, behind the tag there; `budget` bytes may be fed until it is
  /// found, and `laterBudget` until any other.
  init(
    source: any ByteSource, for purpose: MPG123Handle.Purpose, beginning: Int64 = 0,
    budget: Int = FrameReader.searchBudget, laterBudget: Int = FrameReader.searchBudget
  ) throws(DecodingError) {
    self.source = source
    self.beginning = beginning
    self.budget = laterBudget
    feedStart = beginning
    feed = SourceFeed(source: source)
    feed.move(to: beginning)
    feed.budget = budget
    handle = try MPG123Handle.make(for: purpose)
    try handle.openFeed(at: .file)
  }

  /// Where in the source the bytes end that were fed.
  var fedEnd: Int64 { feed.position }

  // MARK: Moving

  /// Goes on to the next frame.
  func next() throws(DecodingError) -> Step {
    while true {
      switch try handle.next() {
      case .frame:
        if try note(isNewFormat: false), try isThere() { return .frame }
      case .newFormat:
        if try note(isNewFormat: true), try isThere() { return .frame }
      case .needsMore:
        if feed.budget <= 0 { try extendBudget() }
        switch try feed.feed(handle) {
        case .bytes: continue
        case .end: return .end
        case .notYet: return .waiting
        }
      case .end: return .end
      }
    }
  }

  /// Makes `entry` the next frame. It is not to be decoded, nor are those behind it.
  func move(to entry: FrameOffsets.Entry) throws(DecodingError) {
    goal = nil
    try open(at: .frame, offset: entry.offset)
    frame.number = entry.frame - 1
  }

  /// Makes `number` the next frame, to be decoded from there on. The way to it begins at `entry`; it needs the frames
  /// before it for the bit reservoir, as `MPEGFrameTable.DecodingStart` says. `phase` is how the filter bank's ring
  /// stands there in linear decoding.
  func move(to number: Int64, phase: Int64, from entry: FrameOffsets.Entry) throws(DecodingError) {
    try move(to: entry)
    prelude.removeAll()
    goal = (number, phase)
  }

  /// Looks for a frame from `offset` on, wherever one begins. The one that is found next has to get its number then.
  func search(from offset: Int64) throws(DecodingError) {
    goal = nil
    try open(at: .middle, offset: offset)
    frame.number = -1
  }

  /// Gives the frame that it is at its number.
  func setNumber(_ number: Int64) { frame.number = number }

  /// Whether the frame that was found is to be told. On the way to another one it is not.
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
    // The first of all is decoded as it is, as in linear decoding.
    guard frame.number > 0, is576 || goal.phase != 0 else { return true }
    let silence = prelude.frames(
      before: data.header, sampleRate: frame.format.sampleRate, phase: goal.phase)
    let number = frame.number
    try open(at: .frame, offset: frame.start)
    frame.number = number - 1
    feedStart -= Int64(silence.frames.count)
    try handle.feed(silence.frames)
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

  /// Notes the frame that was found. False if it is not the one that the feed should begin with.
  @inline(__always)
  private func note(isNewFormat: Bool) throws(DecodingError) -> Bool {
    let start = feedStart + handle.framePosition()
    if let expected, start != expected {
      // The source is not what it was, or has free formats of several sizes. From the beginning on all is found again.
      goal = nil
      try open(at: .file, offset: beginning)
      frame.number = -1
      return false
    }
    expected = nil
    let data = handle.frameData()
    // Version, layer, rate and mode.
    let kind = data.header & 0x1E_0CC0
    if kind != self.kind || isNewFormat {
      try updateFormat(data)
      self.kind = kind
    }
    previousEnd = frame.byteCount == 0 ? nil : frame.end
    frame.number += 1
    frame.start = start
    frame.byteCount = data.body.count + 4
    feed.budget = budget
    return true
  }

  private func updateFormat(_ data: MPG123Handle.FrameData) throws(DecodingError) {
    guard let format = try handle.readFormat() else {
      throw DecodingError(
        reason: .decodeFailed, message: "The file changes to a format that cannot be decoded.")
    }
    frame.format = format
    frame.samplesPerFrame = handle.header().samplesPerFrame
    // No bit rate: free format.
    if frame.number < 0, data.header & 0xF000 == 0 {
      try handle.setFreeFormatSize(data.body.count - (data.header & 0x200 == 0 ? 0 : 1))
    }
  }

  /// A tag between two files may be longer than the budget. Otherwise, no frame is looked for any more.
  private func extendBudget() throws(DecodingError) {
    let tag = feedStart + handle.searchPosition()
    if let end = Recognition.tagEnd(source, at: tag), end > feed.position,
      end - tag <= MetadataReader.tagLimit
    {
      feed.budget = Int(end - feed.position) + budget
    } else {
      throw DecodingError(
        reason: .decodeFailed, message: "No MPEG frame was found in the next \(budget >> 10) KiB.")
    }
  }

  // MARK: The present frame

  /// Decodes the frame that it is at, which may be done once: interleaved, valid until the next call.
  @inline(__always)
  func decode() throws(DecodingError) -> UnsafeBufferPointer<Float> { try handle.decode() }

  /// What the header of the frame that it is at says.
  var header: FrameHeader { handle.header() }

  /// Samples that encoder and decoder added, by the Info frame. Only at the first frame.
  var delays: CodecDelays { handle.delays() }

  /// Frames that the Info frame announces, if there is one and the source can have so many. Only at the first frame.
  var announcedFrames: Int64? {
    // 24 bytes is the shortest frame there is.
    let most = source.size.map { $0 / 24 + 1 } ?? .max
    return handle.announcedFrameCount().flatMap { $0 <= most ? $0 : nil }
  }

  /// A table that knows what the Info frame says. Only at the first frame.
  var frameTable: MPEGFrameTable {
    MPEGFrameTable(
      format: frame.format, samplesPerFrame: frame.samplesPerFrame, announcedFrames: announcedFrames,
      delays: delays)
  }

  /// Mean bits per second of `audioSize` bytes; those of the first frame where they are constant, or the length is not
  /// known exactly. Only at the first frame.
  func bitRate(audioSize: Int64?) -> Int {
    let header = header
    var byteCount = header.meanByteCount
    var sampleCount = Int64(max(header.samplesPerFrame, 1))
    if header.vbr != 0, let audioSize, let count = frameTable.announcedLength, count > 0 {
      (byteCount, sampleCount) = (Double(audioSize), count)
    }
    return Int(min(byteCount * 8 * Double(header.sampleRate) / Double(sampleCount), 1e12).rounded())
  }

  /// The fields of an ID3v2 tag that was fed.
  var tags: MPG123Handle.Tags { handle.tags() }
}
