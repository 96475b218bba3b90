import AudioCore
import AudioOutput
import HostTime

/// What a listener has heard from a test device, exact to the frame.
public struct HeardSound: Hashable, Sendable {
  /// Frames of a song that followed each other.
  public struct Passage: Hashable, Sendable, CustomStringConvertible {
    /// The song's name; nil for sound that is none of the device's songs: a real file's.
    public var song: String?
    /// Which frames of it; at rates other than 1 between which frames it passed, to one or two. Those of real files are
    /// counted from 0 in each passage.
    public var frames: Range<Int64>

    /// Those frames of that song.
    public init(song: String?, frames: Range<Int64>) {
      self.song = song
      self.frames = frames
    }

    /// `a 0..<44100`
    public var description: String { "\(song ?? "sound") \(frames)" }
  }

  /// A stretch of sound or of silence.
  public struct Stretch: Hashable, Sendable, CustomStringConvertible {
    /// What was heard; nil for silence.
    public var passage: Passage?
    /// When it began, on the device's clock.
    public var start: Duration
    /// When it ended. If sound is still playing, the last stretch ends at the present moment.
    public var end: Duration

    /// `1.000…2.000 a 0..<44100`
    public var description: String {
      "\(HostTime(start).inSeconds)…\(HostTime(end).inSeconds) \(passage?.description ?? "silence")"
    }
  }

  /// All of it in order, without the silence before the first sound and behind the last.
  public private(set) var stretches: [Stretch] = []

  /// The sound without the silences; passages that continue each other are joined. A song that was heard
  /// without a frame missing, repeated or changed is one passage, equal to its `Song.whole`.
  public var passages: [Passage] {
    var all: [Passage] = []
    for passage in stretches.compactMap(\.passage) {
      if let last = all.last, last.song == passage.song, last.frames.upperBound == passage.frames.lowerBound {
        all[all.count - 1].frames = last.frames.lowerBound..<passage.frames.upperBound
      } else {
        all.append(passage)
      }
    }
    return all
  }

  /// The silences between sounds.
  public var silences: [Stretch] { stretches.filter { $0.passage == nil } }

  /// Whether anything was heard at that moment, on the device's clock.
  public func isAudible(at moment: Duration) -> Bool {
    stretches.contains { $0.passage != nil && $0.start <= moment && moment < $0.end }
  }

  init(_ recording: SimulatedOutput.Recording, songs: [String]) {
    for run in recording.runs where run.frameCount > 0 {
      let start = Duration(run.start)
      if let last = stretches.last, last.end < start {
        stretches.append(Stretch(passage: nil, start: last.end, end: start))
      }
      append(run, songs: songs)
    }
  }

  /// How many frames from `begin` on are a song's at one rate other than 1, and where it would go on; nil for none. A rate
  /// shows within 64 frames; what is nearer to 1 than 3 % is not told from frames that are missing or repeated.
  private static func paced(
    from begin: Int, to end: Int, _ mark: (Int) -> (song: Int, frame: Int64)?
  ) -> (count: Int, end: Int64)? {
    guard let first = mark(begin) else { return nil }
    var speeds = 0.0...33.0
    var count = 1
    while begin + count < end, let next = mark(begin + count), next.song == first.song {
      let way = Double(next.frame - first.frame)
      // A frame is the last one at or before its place.
      let lower = max(speeds.lowerBound, (way - 1) / Double(count))
      let upper = min(speeds.upperBound, (way + 1) / Double(count))
      guard lower <= upper else { break }
      speeds = lower...upper
      if count == 64, speeds.lowerBound < 1.03, speeds.upperBound > 0.97 { return nil }
      count += 1
    }
    guard count > 64 else { return nil }
    let speed = (speeds.lowerBound + speeds.upperBound) / 2
    return (count, first.frame + Int64((Double(count) * speed).rounded()))
  }

  private mutating func append(_ run: SimulatedOutput.Recording.Run, songs: [String]) {
    let channels = run.format.channelCount
    let seconds = run.end.seconds(since: run.start)
    func moment(_ frame: Int) -> Duration {
      Duration(
        frame == run.frameCount
          ? run.end : run.start.advanced(bySeconds: seconds * Double(frame) / Double(run.frameCount)))
    }
    run.samples.withUnsafeBufferPointer { samples in
      func mark(_ frame: Int) -> (song: Int, frame: Int64)? {
        guard channels == 2 else { return nil }
        return Mark.read(samples[frame * 2], samples[frame * 2 + 1]).flatMap {
          $0.song <= songs.count ? $0 : nil
        }
      }
      var frame = 0
      while frame < run.frameCount {
        let begin = frame
        let first = mark(frame)
        if let (count, end) = Self.paced(from: frame, to: run.frameCount, mark), let first {
          frame += count
          stretches.append(
            Stretch(
              passage: Passage(song: songs[first.song - 1], frames: first.frame..<max(first.frame, end)),
              start: moment(begin), end: moment(frame)))
          continue
        }
        frame += 1
        while frame < run.frameCount {
          // Most of it at once; the rest, up to where the marks wrap round, one by one.
          if let first, (frame - begin) % 8 == 1 {
            frame += Mark.count(
              song: first.song, from: first.frame + Int64(frame - begin),
              in: samples[(frame * channels)..<(run.frameCount * channels)])
            if frame == run.frameCount { break }
          }
          let next = mark(frame)
          guard next?.song == first?.song, next.map({ $0.frame - Int64(frame - begin) }) == first?.frame
          else {
            break
          }
          frame += 1
        }
        let origin = first?.frame ?? 0
        stretches.append(
          Stretch(
            passage: Passage(
              song: first.map { songs[$0.song - 1] }, frames: origin..<(origin + Int64(frame - begin))),
            start: moment(begin), end: moment(frame)))
      }
    }
  }
}

extension HeardSound: CustomStringConvertible {
  /// A line for each stretch.
  public var description: String { stretches.map(\.description).joined(separator: "\n") }
}
