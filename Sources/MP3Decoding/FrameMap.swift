import AudioCore

/// Where each MPEG frame of a file lies on the item's timeline.
///
/// A pure value. It is told of every frame in order (by decoding, or by skipping through the headers), so a format
/// change anywhere is known before a seek goes past it. The timeline counts frames of the rate that the file has
/// at its beginning, after the encoder's delay and padding are cut.
struct FrameMap {
  /// A stretch of frames of one format.
  struct Run {
    /// The first MPEG frame of it.
    var firstFrame: Int64
    var samplesPerFrame: Int64
    var format: PCMFormat
    /// Samples that are cut from its beginning.
    var cutAtStart: Int64
    /// Samples of it that are heard at most, where the file announces its end.
    var limit: Int64
    /// Where it begins on the timeline.
    var start: Int64

    /// How many samples are heard of its first `frames` frames.
    func length(ofFrames frames: Int64) -> Int64 { max(0, min(frames * samplesPerFrame - cutAtStart, limit)) }
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
  private(set) var framesSeen: Int64 = 0
  /// Whether `framesSeen` is all that the file has.
  private(set) var isComplete = false
  /// Frames that the file's Info frame announces.
  let announcedFrames: Int64?
  /// The announced length on the timeline.
  let announcedLength: Int64?

  /// A map for a file that begins with this format; `announcedFrames` and `delays` from its Info frame.
  init(
    format: PCMFormat, samplesPerFrame: Int, announcedFrames: Int64?,
    delays: (delay: Int, padding: Int, decoder: Int)?
  ) {
    let samples = Int64(samplesPerFrame)
    var cut: Int64 = 0
    var limit = Int64.max
    if let announcedFrames {
      // The decoder delays everything by `decoder` samples, so the padding ends that much later; where that is
      // behind the last frame there is nothing to cut.
      cut = Int64((delays?.delay ?? 0) + (delays?.decoder ?? 0))
      let end = announcedFrames * samples - Int64(delays?.padding ?? 0) + Int64(delays?.decoder ?? 0)
      limit = max(0, min(end, announcedFrames * samples) - cut)
    }
    self.announcedFrames = announcedFrames
    announcedLength = announcedFrames == nil ? nil : limit
    runs = [
      Run(firstFrame: 0, samplesPerFrame: samples, format: format, cutAtStart: cut, limit: limit, start: 0)
    ]
  }

  /// Frames per second of the timeline.
  var rate: Int64 { Int64(runs[0].format.sampleRate) }

  /// Length of what was seen, on the timeline.
  var lengthSeen: Int64 {
    let last = runs[runs.count - 1]
    return last.start + timelineLength(of: last.length(ofFrames: framesSeen - last.firstFrame), in: last)
  }

  /// Takes notice of frame `number`. Returns false if it is not the next one, or known, or if formats change too
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
    if number == 0 {
      // The very first frame can differ from what was seen when the file was opened only by damage.
      runs[0].format = format
      runs[0].samplesPerFrame = Int64(samplesPerFrame)
    } else {
      guard runs.count < FrameMap.maximumRunCount else { return false }
      runs.append(
        Run(
          firstFrame: number, samplesPerFrame: Int64(samplesPerFrame), format: format, cutAtStart: 0,
          limit: .max, start: lengthSeen))
    }
    framesSeen += 1
    return true
  }

  /// Takes notice of the end.
  mutating func complete() { isComplete = true }

  /// The place of a timeline position. Beyond what was seen, it assumes that nothing changes.
  func place(of position: Int64) -> Place {
    var low = 0
    var high = runs.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if runs[middle].start <= position { low = middle } else { high = middle }
    }
    let run = runs[low]
    let sample = scaled(max(0, position - run.start), by: Int64(run.format.sampleRate), over: rate)
    return Place(run: low, sample: sample, frame: frame(ofSample: sample, in: low))
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

  /// The MPEG frame that has a sample of a run.
  func frame(ofSample sample: Int64, in index: Int) -> Int64 {
    let run = runs[index]
    return run.firstFrame + (sample + run.cutAtStart) / run.samplesPerFrame
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
