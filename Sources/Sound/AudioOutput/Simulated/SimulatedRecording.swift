package import AudioCore
package import Clocks
import Synchronization

extension SimulatedOutput {
  /// A recording of all sound that a listener heard.
  package struct Recording: Sendable {
    /// Frames heard consecutively without a gap. Silence is the time between two runs.
    package struct Run: Sendable {
      /// The stream that played the frames: 0 for the device's first.
      package var stream: Int
      package var format: PCMFormat
      /// The stream's number of the first frame.
      package var firstFrame: Int64
      /// The time at which the first frame left the device.
      package var start: HostTime
      /// The time at which the last frame had left the device.
      package var end: HostTime
      package var samples: [Float]

      package var frameCount: Int { samples.count / format.channelCount }
    }

    package struct VolumeChange: Sendable, Hashable {
      package var time: HostTime
      /// The volume, 0…1.
      package var volume: Float
      package var muted: Bool
    }

    /// The runs in chronological order. Empty when the device does not record sound.
    package var runs: [Run] = []
    /// The volume changes in chronological order.
    package var volumeChanges: [VolumeChange] = []

    /// All heard frames, without the silence between runs.
    package var samples: [Float] { runs.flatMap(\.samples) }
  }
}

/// The recording shared by all streams of a device.
final class SimulatedTape: Sendable {
  let recordsSound: Bool
  private let content = Mutex(SimulatedOutput.Recording())

  init(recordsSound: Bool) { self.recordsSound = recordsSound }

  var recording: SimulatedOutput.Recording { content.withLock { $0 } }

  /// Appends frames, merging them with the last run if they follow directly in stream and time.
  func append(_ run: SimulatedOutput.Recording.Run) {
    content.withLock { content in
      let last = content.runs.indices.last
      // Tolerance: 1 µs is a twentieth of a frame at 48 kHz, so a smaller difference is rounding, not a gap.
      if let last, content.runs[last].stream == run.stream,
        content.runs[last].firstFrame + Int64(content.runs[last].frameCount) == run.firstFrame,
        abs(run.start.seconds(since: content.runs[last].end)) < 1e-6
      {
        content.runs[last].samples += run.samples
        content.runs[last].end = run.end
      } else {
        content.runs.append(run)
      }
    }
  }

  func append(_ change: SimulatedOutput.Recording.VolumeChange) {
    content.withLock { $0.volumeChanges.append(change) }
  }
}
