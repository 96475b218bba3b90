import AudioCore

/// The positions of a file's MPEG frames on the item's timeline. A pure value. Frames are recorded in order,
/// from decoding or from reading the headers, so that a format change is known before a seek passes it.
/// `skip(to:)` assumes that the format stays. The timeline counts frames at the file's initial sample rate,
/// after encoder delay and padding are cut.
struct MPEGFrameTable {
  /// A sequence of frames with the same format and one cut. Another run also begins after the announced frames.
  struct Run {
    var firstFrame: Int64
    var samplesPerFrame: Int64
    var format: PCMFormat
    var cut: GaplessCut
    /// The beginning of the run on the timeline.
    var start: Int64
    /// The number of slots (of 32 samples) that passed the filter bank before the run, modulo 16.
    var phase: Int64

    /// The number of slots per frame: 36, 18, or 12 in layer I.
    var slotsPerFrame: Int64 { samplesPerFrame / 32 }

    /// Returns the number of audible samples in the run's first `frames` frames.
    func length(ofFrames frames: Int64) -> Int64 {
      max(0, min(frames * samplesPerFrame - cut.start, cut.length))
    }
  }

  struct Place: Equatable {
    var run: Int
    /// The sample in that run, counted from the first audible one.
    var sample: Int64
    /// The MPEG frame that contains the sample.
    var frame: Int64
  }

  /// The maximum number of runs. A file with more format changes is damaged; the limit bounds memory.
  static let maximumRunCount = 4096

  private(set) var runs: [Run]
  /// The number of frames recorded, from the first one on, including those that a jump has skipped.
  private(set) var framesSeen: Int64 = 1
  /// Whether all frames of the file are recorded.
  private(set) var isComplete = false
  /// Whether a recorded frame has a checksum.
  var hasCRC = false
  /// The number of frames announced by the file's Info frame.
  let announcedFrames: Int64?
  let announcedLength: Int64?

  /// Creates a table that contains the first frame, of this format, with the values of the file's Info frame.
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

  /// The timeline's frame rate, in frames per second.
  var rate: Int64 { Int64(runs[0].format.sampleRate) }

  /// The length of all recorded frames on the timeline.
  var lengthSeen: Int64 {
    let last = runs[runs.count - 1]
    return last.start + timelineLength(of: last.length(ofFrames: framesSeen - last.firstFrame), in: last)
  }

  /// Returns the length on the timeline: counted if complete, otherwise announced or else estimated from the
  /// bytes after the recorded frames. Unknown without a size.
  func frameCount(bytesLeft: Int64?, bytesPerFrame: Double) -> FrameCount {
    if isComplete { return .exact(lengthSeen) }
    if let announcedLength, let announcedFrames, framesSeen <= announcedFrames {
      return .exact(announcedLength)
    }
    guard let bytesLeft, bytesPerFrame >= 1 else { return .unknown }
    // A sparse file can claim a size of 2^63 bytes.
    let framesLeft = Int64(min(Double(bytesLeft) / bytesPerFrame, 0x1p40))
    var later = self
    later.framesSeen += framesLeft
    return .estimate(later.lengthSeen)
  }

  /// Records frame `number`. Returns false if it is neither the next frame nor a known one, or if the format
  /// changes too often.
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

  /// Marks the frames before `frame` as recorded, assuming the format of the last recorded frame.
  mutating func skip(to frame: Int64) { framesSeen = max(framesSeen, frame) }

  /// Returns a (fractional) frame's start in seconds on the timeline. The last run is extended as needed.
  func seconds(ofFrame frame: Double) -> Double {
    let run = runs[run(ofFrame: Int64(frame))]
    let samples = (frame - Double(run.firstFrame)) * Double(run.samplesPerFrame) - Double(run.cut.start)
    let heard = max(0, min(samples, Double(run.cut.length)))
    return Double(run.start) / Double(rate) + heard / Double(run.format.sampleRate)
  }

  mutating func complete() { isComplete = true }

  /// Returns the run, sample and frame at a timeline position. After the recorded frames, assumes an
  /// unchanged format.
  func place(of position: Int64) -> Place {
    let index = runs.lastSorted { $0.start <= position }
    let run = runs[index]
    let sample = scaled(max(0, position - run.start), by: Int64(run.format.sampleRate), over: rate)
    return Place(run: index, sample: sample, frame: frame(ofSample: sample, in: index))
  }

  func run(ofFrame number: Int64) -> Int { runs.lastSorted { $0.firstFrame <= number } }

  /// Steps back by `distance` samples, at most to the beginning of the format. Returns the position reached
  /// and the distance covered.
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

  /// Returns the ring position (modulo 16 slots) before frame `number` of run `index` in linear decoding.
  func phase(ofFrame number: Int64, in index: Int) -> Int64 {
    let run = runs[index]
    return (run.phase + (number - run.firstFrame) * run.slotsPerFrame) & 15
  }

  struct DecodingStart: Equatable {
    var frame: Int64
    /// The ring position of the filter bank before `frame` in linear decoding.
    var phase: Int64
    /// The first frame to read: earlier than `frame` if `DecodingPrelude` must fill the bit reservoir.
    var firstNeeded: Int64
  }

  /// Returns the position at which to start decoding, so that `frame` equals the result of linear decoding.
  ///
  /// Bit reservoir (at most 511 bytes in MPEG 1, 255 in MPEG 2 and 2.5), overlap and filter bank must be
  /// filled. The smallest frames are 96 bytes (MPEG 1, 32 kbit/s at 48 kHz; at least 58 of them main data)
  /// and 24 bytes (MPEG 2, 8 kbit/s at 24 kHz; 3 of them main data, and 1 with a checksum). That requires 9 and
  /// 85 or 255 frames for the reservoir, and one each for overlap and filter bank. In layer III of MPEG 2 and 2.5 (frames
  /// of 576 samples) `DecodingPrelude` fills the reservoir and sets the ring position. In other files decoding fills the
  /// reservoir, and the ring needs no setting if decoding starts at a frame with ring position 0.
  func decodingStart(for frame: Int64) -> DecodingStart {
    let latest = max(0, frame - 12)
    for candidate in (max(0, latest - 3)...latest).reversed() {
      let index = run(ofFrame: candidate)
      let is576 = runs[index].samplesPerFrame == 576
      let phase = phase(ofFrame: candidate, in: index)
      if is576 || phase == 0 || candidate == max(0, latest - 3) {
        return DecodingStart(
          frame: candidate, phase: phase,
          firstNeeded: is576 ? max(0, candidate - (hasCRC ? 258 : 88)) : candidate)
      }
    }
    return DecodingStart(frame: 0, phase: 0, firstNeeded: 0)
  }

  func frame(ofSample sample: Int64, in index: Int) -> Int64 {
    let run = runs[index]
    return run.firstFrame + (sample + run.cut.start) / run.samplesPerFrame
  }

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
