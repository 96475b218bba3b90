public import AudioCore
import Foundation
import Synchronization

/// Records a sink's monitor with `parec`: what left the sink, sample by sample.
public final class MonitorCapture: Sendable {
  /// What was captured so far.
  public struct Recording: Sendable {
    /// Left samples.
    public var left: [Float] = []
    /// For each piece as it came: its first frame's index and when it came.
    public var arrivals: [(index: Int, time: HostTime)] = []
    fileprivate var rest = Data()

    /// What came from that frame of the recording on.
    public func since(_ index: Int) -> Recording {
      var result = Recording()
      result.left = Array(left.dropFirst(index))
      result.arrivals = arrivals.filter { $0.index >= index }.map { ($0.index - index, $0.time) }
      return result
    }

    /// The ramp's frames in the order in which they were heard, silence left out; nil for a sample that is no frame.
    public var frames: [Int64?] { left.filter { $0 != 0 }.map(RampSource.frame) }
    /// Frames of silence between the first and the last sound.
    public var innerSilence: Int {
      guard let first = left.firstIndex(where: { $0 != 0 }), let last = left.lastIndex(where: { $0 != 0 })
      else {
        return 0
      }
      return left[first...last].count { $0 == 0 }
    }
  }

  private let process = Process()
  private let recording = Observed(Recording())
  private let clock = SystemClock()

  /// Starts recording `sink` of the server at `address`, in stereo floats of 44 100 Hz.
  public init(address: String, sink: String) throws {
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "parec", "--server=\(address)", "--device=\(sink).monitor", "--raw", "--format=float32le",
      "--rate=44100",
      "--channels=2", "--latency-msec=20",
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
  public var value: Recording { recording.value }

  /// Waits until the monitor delivers.
  public func started(limit: Double = 10) async throws {
    _ = try await recording.wait(for: "capture of the monitor", limit: limit) { !$0.left.isEmpty }
  }

  /// Waits until `count` frames of sound were captured.
  public func heard(_ count: Int, limit: Double = 20) async throws -> Recording {
    try await recording.wait(for: "\(count) frames of sound", limit: limit) { recording in
      recording.left.count { $0 != 0 } >= count
    }
  }

  /// Waits until `frame` of the ramp was captured.
  public func heard(frame: Int64, limit: Double = 20) async throws -> Recording {
    let sample = RampSource.sample(frame)
    return try await recording.wait(for: "frame \(frame)", limit: limit) {
      $0.left.suffix(44100).contains(sample)
    }
  }

  /// Waits for `count` frames more, of whatever.
  public func passed(_ count: Int, limit: Double = 20) async throws -> Recording {
    let present = recording.value.left.count
    return try await recording.wait(for: "\(count) frames more", limit: limit) {
      $0.left.count >= present + count
    }
  }

  /// Ends the recording.
  public func stop() { if process.isRunning { process.terminate() } }
}

extension MonitorCapture.Recording {
  fileprivate mutating func append(_ data: Data, at time: HostTime) {
    arrivals.append((left.count, time))
    rest.append(data)
    let whole = rest.count / 8 * 8
    rest.prefix(whole).withUnsafeBytes { bytes in
      for offset in stride(from: 0, to: whole, by: 8) {
        left.append(bytes.loadUnaligned(fromByteOffset: offset, as: Float.self))
      }
    }
    rest = Data(rest.dropFirst(whole))
  }
}
