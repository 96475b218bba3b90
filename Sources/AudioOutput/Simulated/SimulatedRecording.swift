package import AudioCore
package import HostTime
import Synchronization

extension SimulatedOutput {
  /// What a listener heard.
  package struct Recording: Sendable {
    /// Frames that were heard one after another without a gap. Silence is the time between two runs.
    package struct Run: Sendable {
      /// The stream they came from: 0 for the device's first.
      package var stream: Int
      /// The stream's format.
      package var format: PCMFormat
      /// The stream's number of the first frame.
      package var firstFrame: Int64
      /// When the first frame left the device.
      package var start: HostTime
      /// When the last frame had left it.
      package var end: HostTime
      /// The frames, interleaved.
      package var samples: [Float]

      /// How many frames there are.
      package var frameCount: Int { samples.count / format.channelCount }
    }

    /// A call of `setVolume`.
    package struct VolumeChange: Sendable, Hashable {
      /// When it took effect.
      package var time: HostTime
      /// The volume, 0…1.
      package var volume: Float
      /// Whether it was muted.
      package var muted: Bool
    }

    /// In the order of time. Empty when the device does not record sound.
    package var runs: [Run] = []
    /// In the order of time.
    package var volumeChanges: [VolumeChange] = []

    /// All frames heard, without the silence between them.
    package var samples: [Float] { runs.flatMap(\.samples) }
  }
}

/// Where all streams of a device write what is heard.
final class SimulatedTape: Sendable {
  let recordsSound: Bool
  private let content = Mutex(SimulatedOutput.Recording())

  init(recordsSound: Bool) {
    self.recordsSound = recordsSound
  }

  var recording: SimulatedOutput.Recording { content.withLock { $0 } }

  /// Adds frames; they join the last run if they follow it in the stream and in time.
  func append(_ run: SimulatedOutput.Recording.Run) {
    content.withLock { content in
      let last = content.runs.indices.last
      // A microsecond is a twentieth of a frame at 48 kHz: below that it is rounding, not a gap.
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
