package import AudioCore

/// Makes sound pass faster or slower by leaving out or repeating frames, so that each frame that is heard still says where
/// it comes from. For the simulated output; nobody would listen to it.
package struct FramePicker: TimeStretching {
  /// A picker of frames.
  package init() {}

  package func prepare() throws(TimeStretchError) {}

  package func makeStretcher(
    format: PCMFormat, pace: Pace
  ) throws(TimeStretchError) -> any TimeStretcher {
    Stretcher(channelCount: format.channelCount, speed: pace.speed)
  }

  /// Frame n is the last one that was put at or before n · speed.
  private final class Stretcher: TimeStretcher {
    private let channelCount: Int
    private let speed: Double
    /// What is still needed of what was put, and the number of its first frame.
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
