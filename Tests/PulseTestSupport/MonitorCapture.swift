package import Foundation
package import HostTime
import Synchronization

/// Records a sink's monitor with `parec`: what left the sink, sample by sample.
package final class MonitorCapture: Sendable {
  /// How samples are captured. A sink's own format comes through unchanged.
  package enum SampleFormat: String, Sendable {
    /// 32-bit floats.
    case float32 = "float32le"
    /// 16-bit integers.
    case int16 = "s16le"

    /// Bytes in a frame of two channels.
    package var bytesPerFrame: Int { self == .float32 ? 8 : 4 }
  }

  /// What was captured so far.
  package struct Recording: Sendable, CustomStringConvertible {
    /// How it was captured.
    package let format: SampleFormat
    /// All of it, interleaved.
    package fileprivate(set) var bytes = Data()
    /// Left samples of a capture in floats.
    package fileprivate(set) var left: [Float] = []
    /// For each piece as it came: its first frame's index and when it came.
    package fileprivate(set) var arrivals: [(index: Int, time: HostTime)] = []

    /// Frames captured, silent ones included.
    package var frameCount: Int { bytes.count / format.bytesPerFrame }
    /// How much there is: for messages.
    package var description: String { "\(frameCount) frames captured" }

    /// What came from that frame of the recording on.
    package func since(_ index: Int) -> Recording {
      var result = Recording(format: format)
      result.bytes = Data(bytes.dropFirst(index * format.bytesPerFrame))
      result.left = Array(left.dropFirst(index))
      result.arrivals = arrivals.filter { $0.index >= index }.map { ($0.index - index, $0.time) }
      return result
    }

    /// The ramp's frames in the order in which they were heard, silence left out; nil for a sample that is no frame.
    package var frames: [Int64?] { left.filter { $0 != 0 }.map(RampSource.frame) }
    /// Frames of silence between the first and the last sound.
    package var innerSilence: Int {
      guard let first = left.firstIndex(where: { $0 != 0 }), let last = left.lastIndex(where: { $0 != 0 })
      else {
        return 0
      }
      return left[first...last].count { $0 == 0 }
    }
  }

  private let process = Process()
  private let recording: Observed<Recording>
  private let clock = SystemClock.shared

  /// Starts recording `sink` of the server at `address`, in stereo at 44 100 Hz.
  package init(address: String, sink: String, format: SampleFormat = .float32) throws {
    recording = Observed(Recording(format: format))
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "parec", "--server=\(address)", "--device=\(sink).monitor", "--raw",
      "--format=\(format.rawValue)", "--rate=44100", "--channels=2", "--latency-msec=20",
    ]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardInput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    let recording = self.recording
    let clock = self.clock
    pipe.fileHandleForReading.readabilityHandler = { handle in
      let data = handle.availableData
      let now = clock.now
      if data.isEmpty {
        handle.readabilityHandler = nil
        return
      }
      recording.update { $0.append(data, at: now) }
    }
    try process.run()
  }

  deinit { stop() }

  /// What was captured so far.
  package var value: Recording { recording.value }

  /// Waits until the monitor delivers.
  package func started(limit: Double = 10) async throws {
    _ = try await recording.wait(for: "capture of the monitor", limit: limit) { $0.frameCount > 0 }
  }

  /// Waits until `count` frames of sound were captured.
  package func heard(_ count: Int, limit: Double = 20) async throws -> Recording {
    try await recording.wait(for: "\(count) frames of sound", limit: limit) { recording in
      recording.left.count { $0 != 0 } >= count
    }
  }

  /// Waits until `frame` of the ramp was captured.
  package func heard(frame: Int64, limit: Double = 20) async throws -> Recording {
    let sample = RampSource.sample(frame)
    return try await recording.wait(for: "frame \(frame)", limit: limit) {
      $0.left.suffix(44100).contains(sample)
    }
  }

  /// Waits for `count` frames more, of whatever.
  package func passed(_ count: Int, limit: Double = 20) async throws -> Recording {
    let present = recording.value.frameCount
    return try await recording.wait(for: "\(count) frames more", limit: limit) {
      $0.frameCount >= present + count
    }
  }

  /// Ends the recording.
  package func stop() { if process.isRunning { process.terminate() } }
}

extension MonitorCapture.Recording {
  fileprivate mutating func append(_ data: Data, at time: HostTime) {
    arrivals.append((frameCount, time))
    bytes.append(data)
    guard format == .float32 else { return }
    bytes.withUnsafeBytes { bytes in
      for frame in left.count..<frameCount {
        left.append(bytes.loadUnaligned(fromByteOffset: frame * format.bytesPerFrame, as: Float.self))
      }
    }
  }
}
