import AudioCore
import Clocks

/// A linear segment of a device's playback: the frame position at one time and the rate from there.
struct SimulatedLine {
  var time: HostTime
  var frame: Double
  /// The rate in frames per second; 0 while stopped.
  var rate: Double

  /// The tolerance in frames for equal positions: 1 ns is 4·10⁻⁴ frames at the highest supported rate.
  static let tolerance = 1e-3

  /// Returns the position in frames at `moment`, at most `limit`; while stopped, the position of the stop.
  func frame(at moment: HostTime, limit: Int64) -> Double {
    rate == 0 ? frame : min(frame + moment.seconds(since: time) * rate, Double(limit))
  }

  /// Returns the first whole nanosecond at which `target` is reached; nil while stopped.
  func time(of target: Double) -> HostTime? {
    guard rate > 0 else { return nil }
    let nanoseconds = ((target - frame) / rate * 1e9).rounded(.up)
    return HostTime(nanoseconds: time.nanoseconds + Int64(nanoseconds))
  }
}

/// The frames that a device holds before they are heard and recorded on the tape.
struct SimulatedBuffer {
  private let stream: Int
  private let format: PCMFormat
  private let tape: SimulatedTape
  private var samples: [Float] = []
  private var firstFrame: Int64 = 0

  init(stream: Int, format: PCMFormat, tape: SimulatedTape) {
    self.stream = stream
    self.format = format
    self.tape = tape
  }

  mutating func append(_ frames: UnsafeMutableBufferPointer<Float>) {
    if tape.recordsSound { samples.append(contentsOf: frames) }
  }

  /// Records all frames below `frame` as heard at the times given by `line`.
  mutating func play(upTo frame: Int64, along line: SimulatedLine) {
    guard frame > firstFrame else { return }
    defer { firstFrame = frame }
    let count = Int(frame - firstFrame) * format.channelCount
    guard tape.recordsSound, let start = line.time(of: Double(firstFrame)),
      let end = line.time(of: Double(frame))
    else { return }
    tape.append(
      SimulatedOutput.Recording.Run(
        stream: stream, format: format, firstFrame: firstFrame, start: start, end: end,
        samples: Array(samples[..<count])))
    samples.removeFirst(count)
  }

  /// Drops the frames from `frame` on; the next appended frame has that number.
  mutating func truncate(from frame: Int64) {
    let kept = max(0, Int(frame - firstFrame)) * format.channelCount
    if kept < samples.count { samples.removeSubrange(kept...) }
    firstFrame = min(firstFrame, frame)
  }

  /// Drops all frames; the next appended frame has the number `frame`.
  mutating func drop(upTo frame: Int64) {
    samples.removeAll()
    firstFrame = frame
  }
}
