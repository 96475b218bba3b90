import AudioCore

/// Where each MPEG frame of a file lies on the item's timeline.
///
/// A pure value. It is told of every frame in order (by decoding, or by skipping through the headers), so a format
/// change anywhere is known before a seek goes past it. The timeline counts frames of the rate that the file has
/// at its beginning, after the encoder's delay and padding are cut.
struct MPEGFrameTable {
  /// A stretch of frames of one format.
  struct Run {
    /// The first MPEG frame of it.
    var firstFrame: Int64
    var samplesPerFrame: Int64
    var format: PCMFormat
    /// What of it is heard.
    var cut: GaplessCut
    /// Where it begins on the timeline.
    var start: Int64
    /// Slots (of 32 samples) that went through the filter bank before it, modulo 16.
    var phase: Int64

    /// Slots of a frame: 36, 18, or 12 in layer I.
    var slotsPerFrame: Int64 { samplesPerFrame / 32 }

    /// How many samples are heard of its first `frames` frames.
    func length(ofFrames frames: Int64) -> Int64 {
      max(0, min(frames * samplesPerFrame - cut.start, cut.length))
    }
  }

  /// A place in the file.
  struct Place: Equatable {
    /// Index in `runs`.
    var run: Int
    /// Sample of that run, counted from the first that is heard.
    var sample: Int64
    /// The MPEG frame that has it.
    var frame: Int64
  }

  /// Formats may change this often; a file that does so more often is damage, and memory is bounded.
  static let maximumRunCount = 4096

  private(set) var runs: [Run]
  /// Frames that were seen, from the first without a gap.
  private(set) var framesSeen: Int64 = 1
  /// Whether `framesSeen` is all that the file has.
  private(set) var isComplete = false
  /// Frames that the file's Info frame announces.
  let announcedFrames: Int64?
  /// The announced length on the timeline.
  let announcedLength: Int64?

  /// A table for a file whose first frame has this format; `announcedFrames` and `delays` by its Info frame.
  init(format: PCMFormat, samplesPerFrame: Int, announcedFrames: Int64?, delays: CodecDelays) {
    let samples = Int64(samplesPerFrame)
    let cut = announcedFrames.map { GaplessCut(ofAnnounced: $0 * samples, delays: delays) }
    self.announcedFrames = announcedFrames
    announcedLength = cut?.length
    runs = [
      Run(
        firstFrame: 0, samplesPerFrame: samples, format: format, cut: cut ?? GaplessCut(), start: 0, phase: 0)
    ]
  }

  /// Frames per second of the timeline.
  var rate: Int64 { Int64(runs[0].format.sampleRate) }

  /// Length of what was seen, on the timeline.
  var lengthSeen: Int64 {
    let last = runs[runs.count - 1]
    return last.start + timelineLength(of: last.length(ofFrames: framesSeen - last.firstFrame), in: last)
  }

  /// The file's length on the timeline: known, announced, or estimated from the bytes behind what was seen.
  func frameCount(bytesLeft: Int64?, bytesPerFrame: Double) -> FrameCount {
    if isComplete { return .exact(lengthSeen) }
    if let announcedLength, let announcedFrames, framesSeen <= announcedFrames {
      return .exact(announcedLength)
    }
    guard let bytesLeft, bytesPerFrame >= 1 else { return .unknown }
    // A sparse file can claim 2^63 bytes.
    let framesLeft = Int64(min(Double(bytesLeft) / bytesPerFrame, 0x1p40))
    var later = self
    later.framesSeen += framesLeft
    return .estimate(later.lengthSeen)
  }

  /// Notes frame `number`. Returns false if it is not the next one, or known, or if formats change too
  /// often.
  @inline(__always)
  mutating func note(_ number: Int64, samplesPerFrame: Int, format: PCMFormat) -> Bool {
    guard number == framesSeen else { return number < framesSeen }
    let last = runs[runs.count - 1]
    if last.format != format || last.samplesPerFrame != Int64(samplesPerFrame) || number == announcedFrames {
      return beginRun(at: number, samplesPerFrame: samplesPerFrame, format: format)
    }
    framesSeen += 1
    return true
  }

  private mutating func beginRun(at number: Int64, samplesPerFrame: Int, format: PCMFormat) -> Bool {
    guard runs.count < MPEGFrameTable.maximumRunCount, samplesPerFrame > 0, format.sampleRate > 0 else {
      return false
    }
    runs.append(
      Run(
        firstFrame: number, samplesPerFrame: Int64(samplesPerFrame), format: format, cut: GaplessCut(),
        start: lengthSeen, phase: phase(ofFrame: number, in: runs.count - 1)))
    framesSeen += 1
    return true
  }

  /// Takes the frames before `frame` as seen: they are assumed to be like the last one.
  mutating func skip(to frame: Int64) { framesSeen = max(framesSeen, frame) }

  /// When a frame (with a fraction) of the last run begins, or of the run that has it, in seconds of the timeline.
  func seconds(ofFrame frame: Double) -> Double {
    let run = runs[run(ofFrame: Int64(frame))]
    let samples = (frame - Double(run.firstFrame)) * Double(run.samplesPerFrame) - Double(run.cut.start)
    let heard = max(0, min(samples, Double(run.cut.length)))
    return Double(run.start) / Double(rate) + heard / Double(run.format.sampleRate)
  }

  /// Notes the end.
  mutating func complete() { isComplete = true }

  /// The place of a timeline position. Beyond what was seen, it assumes that nothing changes.
  func place(of position: Int64) -> Place {
    let index = lastRun { $0.start <= position }
    let run = runs[index]
    let sample = scaled(max(0, position - run.start), by: Int64(run.format.sampleRate), over: rate)
    return Place(run: index, sample: sample, frame: frame(ofSample: sample, in: index))
  }

  /// The index of the run that has frame `number`.
  func run(ofFrame number: Int64) -> Int { lastRun { $0.firstFrame <= number } }

  /// The index of the last run that begins before a place; the first one if none does.
  private func lastRun(where begins: (Run) -> Bool) -> Int {
    var low = 0
    var high = runs.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if begins(runs[middle]) { low = middle } else { high = middle }
    }
    return low
  }

  /// Goes back from `place` by `distance` samples, or to where its format begins, and tells how far it came.
  func stepBack(from place: Place, by distance: Int64) -> (run: Int, sample: Int64, distance: Int64) {
    var run = place.run
    var sample = place.sample
    var left = distance
    while left > sample, run > 0, runs[run - 1].format == runs[place.run].format {
      left -= sample
      run -= 1
      sample = runs[run].length(ofFrames: runs[run + 1].firstFrame - runs[run].firstFrame)
    }
    let step = min(left, sample)
    return (run, sample - step, distance - left + step)
  }

  /// Slots that linear decoding has put into the filter bank's ring of 16 before frame `number` of run `index`.
  func phase(ofFrame number: Int64, in index: Int) -> Int64 {
    let run = runs[index]
    return (run.phase + (number - run.firstFrame) * run.slotsPerFrame) & 15
  }

  /// Where to begin to decode before a seek's target.
  struct DecodingStart: Equatable {
    /// The first frame to decode.
    var frame: Int64
    /// How the filter bank's ring stands there in linear decoding.
    var phase: Int64
    /// The first frame that has bytes of that one's bit reservoir; itself where it can do without.
    var firstNeeded: Int64
  }

  /// Where to begin to decode so that `frame` is as in linear decoding.
  ///
  /// Bit reservoir (at most 511 bytes in MPEG 1, 255 in MPEG 2 and 2.5), overlap and filter bank must be filled. The
  /// smallest frames are 96 bytes (MPEG 1, 32 kbit/s at 48 kHz; at least 60 of them main data) and 24 (MPEG 2,
  /// 8 kbit/s at 24 kHz; 3): 9 and 85 frames for the reservoir, one each for overlap and filter bank. In MPEG 2 and 2.5
  /// (frames of 576 samples) `DecodingPrelude` fills it and turns the ring; in others decoding fills it, and where
  /// one of the frames before finds the ring at 0 there is nothing to turn.
  func decodingStart(for frame: Int64) -> DecodingStart {
    let latest = max(0, frame - 12)
    for candidate in (max(0, latest - 3)...latest).reversed() {
      let index = run(ofFrame: candidate)
      let is576 = runs[index].samplesPerFrame == 576
      let phase = phase(ofFrame: candidate, in: index)
      if is576 || phase == 0 || candidate == max(0, latest - 3) {
        return DecodingStart(
          frame: candidate, phase: phase, firstNeeded: is576 ? max(0, candidate - 88) : candidate)
      }
    }
    return DecodingStart(frame: 0, phase: 0, firstNeeded: 0)
  }

  /// The MPEG frame that has a sample of a run.
  func frame(ofSample sample: Int64, in index: Int) -> Int64 {
    let run = runs[index]
    return run.firstFrame + (sample + run.cut.start) / run.samplesPerFrame
  }

  /// Where on the timeline a sample of a run is.
  func position(ofSample sample: Int64, in index: Int) -> Int64 {
    runs[index].start + timelineLength(of: sample, in: runs[index])
  }

  private func timelineLength(of samples: Int64, in run: Run) -> Int64 {
    let runRate = Int64(run.format.sampleRate)
    return runRate == rate ? samples : scaled(samples, by: rate, over: runRate, roundingUp: true)
  }

  private func scaled(_ value: Int64, by factor: Int64, over divisor: Int64, roundingUp: Bool = false)
    -> Int64
  {
    guard factor != divisor else { return value }
    let (whole, rest) = value.quotientAndRemainder(dividingBy: divisor)
    let product = rest * factor
    return whole * factor + product / divisor + (roundingUp && product % divisor != 0 ? 1 : 0)
  }
}
