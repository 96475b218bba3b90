import AudioCore
import AudioOutput
import Clocks

/// The audible output of a test device. At rate 1 it is exact to the frame.
public struct HeardSound: Hashable, Sendable, CustomStringConvertible {
  /// A sequence of consecutive frames of a song.
  public struct Passage: Hashable, Sendable, CustomStringConvertible {
    /// The name of the song; nil for sound that is not recognized as a song, such as that of a real file.
    public var song: String?
    /// The frames heard, accurate to one or two frames at rates other than 1. In each passage without a song
    /// they are counted from 0.
    public var frames: Range<Int64>

    /// Creates a passage of the given song and frames.
    public init(song: String?, frames: Range<Int64>) {
      self.song = song
      self.frames = frames
    }

    /// The song and the frames: `a 0..<44100`.
    public var description: String { "\(song ?? "sound") \(frames)" }
  }

  /// A period of sound or silence.
  public struct Stretch: Hashable, Sendable, CustomStringConvertible {
    /// The passage heard; nil for silence.
    public var passage: Passage?
    /// The start time, on the device's clock.
    public var start: Duration
    /// The end time, on the device's clock; the current time for sound that is still playing.
    public var end: Duration

    /// The times and the passage: `1.000…2.000 a 0..<44100`.
    public var description: String {
      "\(HostTime(start).inSeconds)…\(HostTime(end).inSeconds) \(passage?.description ?? "silence")"
    }
  }

  /// All stretches in order, without the silence before the first and after the last sound.
  public private(set) var stretches: [Stretch] = []

  /// The stretches, one line each.
  public var description: String { stretches.map(\.description).joined(separator: "\n") }

  /// The passages without the silences, with adjoining passages joined. A song heard without a missing,
  /// repeated or changed frame is one passage, equal to its `Song.whole`.
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

  /// The silences between passages of sound.
  public var silences: [Stretch] { stretches.filter { $0.passage == nil } }

  /// Returns whether any sound was heard at the given time on the device's clock.
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

  /// Detects a song played at a constant rate other than 1. Returns the number of output frames from `begin`
  /// on and the song frame that would follow; nil if no such song is detected. Detection needs more than 64
  /// frames. A rate within 3 % of 1 cannot be distinguished from missing or repeated frames.
  private static func paced(
    from begin: Int, to end: Int, _ mark: (Int) -> (song: Int, frame: Int64)?
  ) -> (count: Int, end: Int64)? {
    guard let first = mark(begin) else { return nil }
    var speeds = 0.0...33.0
    var count = 1
    while begin + count < end, let next = mark(begin + count), next.song == first.song {
      let way = Double(next.frame - first.frame)
      // Each output frame is the last song frame at or before its exact position.
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
        let paced = Self.paced(from: frame, to: run.frameCount, mark)
        frame += paced?.count ?? 1
        while paced == nil, frame < run.frameCount {
          // Compare frames in blocks of eight. Those of an incomplete block, before a mismatch, the end or a
          // wrap-around of the marks, are compared one by one.
          if let first, (frame - begin) % 8 == 1 {
            frame += Mark.count(
              song: first.song, from: first.frame + Int64(frame - begin),
              in: samples[(frame * channels)..<(run.frameCount * channels)])
            if frame == run.frameCount { break }
          }
          let next = mark(frame)
          guard next?.song == first?.song, next.map({ $0.frame - Int64(frame - begin) }) == first?.frame
          else { break }
          frame += 1
        }
        let origin = first?.frame ?? 0
        let frames = origin..<max(origin, paced?.end ?? origin + Int64(frame - begin))
        let passage = Passage(song: first.map { songs[$0.song - 1] }, frames: frames)
        stretches.append(Stretch(passage: passage, start: moment(begin), end: moment(frame)))
      }
    }
  }
}
