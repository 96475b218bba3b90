package import Clocks
package import Foundation
import Synchronization

/// Records sound that a program writes, as a sink's monitor with `parec`: what left the sink, sample by sample.
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
    /// How many of them are not silent.
    fileprivate var soundCount = 0
    /// Whether the program has ended.
    fileprivate var hasEnded = false
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
      else { return 0 }
      return left[first...last].count { $0 == 0 }
    }
  }

  private let process = Process()
  private let complaints = Pipe()
  private let reader: DescriptorReader
  private let recording: Observed<Recording>
  private let clock = SystemClock.shared

  /// Starts recording `sink` of the server at `address`, in stereo at 44 100 Hz.
  package convenience init(address: String, sink: String, format: SampleFormat = .float32) throws {
    try self.init(
      of: [
        "parec", "--server=\(address)", "--device=\(sink).monitor", "--raw",
        "--format=\(format.rawValue)", "--rate=44100", "--channels=2", "--latency-msec=20",
      ], format: format)
  }

  /// Starts a program that writes sound in stereo at 44 100 Hz to its standard output when it is heard.
  package init(of arguments: [String], format: SampleFormat) throws {
    recording = Observed(Recording(format: format))
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    // The pipe closes its ends with itself; the reader owns another.
    let reading = fcntl(pipe.fileHandleForReading.fileDescriptor, F_DUPFD_CLOEXEC, 3)
    process.standardInput = FileHandle.nullDevice
    process.standardError = complaints
    let recording = self.recording
    let clock = self.clock
    reader = DescriptorReader(descriptor: reading) { bytes in
      let now = clock.now
      recording.update { if bytes.isEmpty { $0.hasEnded = true } else { $0.append(bytes, at: now) } }
    }
    try process.run()
  }

  deinit { stop() }

  /// Looks at what was captured so far, while nothing is added. No copy: the thread sanitizer does not see who lets go of one
  /// that the recording then grows in place.
  package func read<Result: Sendable>(_ body: (Recording) -> Result) -> Result { recording.read(body) }

  private func wait(
    for what: String, limit: Double, until condition: @escaping @Sendable (Recording) -> Bool
  ) async throws -> Recording {
    let result = try await recording.wait(for: what, limit: limit) { $0.hasEnded || condition($0) }
    if condition(result) { return result }
    process.waitUntilExit()
    let text = String(decoding: complaints.fileHandleForReading.availableData, as: UTF8.self)
    throw Failure(
      "no \(what): the capture ended with \(process.terminationReason) \(process.terminationStatus) after "
        + "\(result): \(text)")
  }

  /// Waits until the monitor delivers.
  package func started(limit: Double = 120) async throws {
    _ = try await wait(for: "capture of the monitor", limit: limit) { $0.frameCount > 0 }
  }

  /// Waits until `count` frames of sound were captured.
  package func heard(_ count: Int, limit: Double = 120) async throws -> Recording {
    try await wait(for: "\(count) frames of sound", limit: limit) { $0.soundCount >= count }
  }

  /// Waits until `frame` of the ramp was captured.
  package func heard(frame: Int64, limit: Double = 120) async throws -> Recording {
    let sample = RampSource.sample(frame)
    if let present = read({ $0.left.suffix(44_100).contains(sample) ? $0 : nil }) { return present }
    // What has come since, a piece of 20 ms at a time.
    return try await wait(for: "frame \(frame)", limit: limit) { $0.left.suffix(8_820).contains(sample) }
  }

  /// Waits for `count` frames more, of whatever.
  package func passed(_ count: Int, limit: Double = 120) async throws -> Recording {
    let present = read(\.frameCount)
    return try await wait(for: "\(count) frames more", limit: limit) { $0.frameCount >= present + count }
  }

  /// Ends the recording. Not by SIGTERM: Snapcast's client (0.26) may outlive that once its server is gone.
  package func stop() { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
}

extension MonitorCapture.Recording {
  fileprivate mutating func append(_ new: ArraySlice<UInt8>, at time: HostTime) {
    arrivals.append((frameCount, time))
    bytes.append(contentsOf: new)
    guard format == .float32 else { return }
    bytes.withUnsafeBytes { bytes in
      for frame in left.count..<frameCount {
        let sample = bytes.loadUnaligned(fromByteOffset: frame * format.bytesPerFrame, as: Float.self)
        left.append(sample)
        if sample != 0 { soundCount += 1 }
      }
    }
  }
}
