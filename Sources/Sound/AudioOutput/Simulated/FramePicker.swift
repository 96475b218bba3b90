package import AudioCore

/// A time stretcher that drops or repeats frames, so that each output frame identifies its input frame. Not
/// suitable for listening.
package struct FramePicker: TimeStretching {
  package init() {}

  package func prepare() throws(TimeStretchError) {}

  package func makeStretcher(format: PCMFormat, pace: Pace) throws(TimeStretchError) -> any TimeStretcher {
    Stretcher(channelCount: format.channelCount, speed: pace.speed)
  }

  /// A stretcher whose output frame n is the last input frame at or before n · speed.
  private final class Stretcher: TimeStretcher {
    private let channelCount: Int
    private let speed: Double
    /// The input frames that are still needed, and the number of the first one.
    private var samples: [Float] = []
    private var firstFrame = 0
    private var given = 0

    init(channelCount: Int, speed: Double) {
      self.channelCount = channelCount
      self.speed = speed
    }

    func put(_ frames: UnsafeBufferPointer<Float>) {
      let used = min(samples.count / channelCount, max(0, source(of: given) - firstFrame))
      samples.removeFirst(used * channelCount)
      firstFrame += used
      samples.append(contentsOf: frames)
    }

    private func source(of frame: Int) -> Int { Int((Double(frame) * speed).rounded(.down)) }

    func receive(into buffer: UnsafeMutableBufferPointer<Float>) -> Int {
      var count = 0
      while count < buffer.count / channelCount {
        let place = source(of: given) - firstFrame
        guard place < samples.count / channelCount else { break }
        for channel in 0..<channelCount {
          buffer[count * channelCount + channel] = samples[place * channelCount + channel]
        }
        count += 1
        given += 1
      }
      return count
    }
  }
}
