import AudioCore
import Clocks
import Foundation
import PulseTestSupport
import XCTest

@testable import PulseOutput

/// How evenly time passes, by the timings of a stream. `swift test` runs these before all other tests, beside nothing but each
/// other.
final class PulseOutputMeasurements: XCTestCase {
  private static let clock = SystemClock.shared
  private static let stereo = PCMFormat(sampleRate: 44100, channelCount: 2)

  func testTimePassesEvenly() async throws {
    try await withThrowingTaskGroup { group in
      for buffer in [0.5, 1, 2] {
        group.addTask { try await Self.timingFollowsTheMonotonicClock(buffer: buffer) }
      }
      group.addTask { try await Self.aPlainNullSinkIsStraight() }
      group.addTask { try await Self.pipeWireIsStraight() }
      try await group.waitForAll()
    }
  }

  /// When frame 0 was heard, by each of many timings.
  private static func origins(of stream: any AudioOutputStream, seconds: Double) async throws -> [Double] {
    var origins: [Double] = []
    let start = clock.now
    var last = 0.0
    while clock.now.seconds(since: start) < seconds {
      let timing = stream.timing()
      XCTAssertGreaterThanOrEqual(timing.heardFrame, last)
      last = timing.heardFrame
      if timing.frameRate > 0 { origins.append(timing.hostTime.seconds - timing.heardFrame / 44100) }
      try await Task.sleep(for: .milliseconds(5))
    }
    return origins
  }

  private static func timingFollowsTheMonotonicClock(buffer: Double) async throws {
    let server = try PrivatePulseServer()
    defer { server.stop() }
    let capture = try MonitorCapture(address: server.address, sink: "continuo")
    defer { capture.stop() }
    try await capture.started()
    var configuration = PulseConfiguration(server: server.address)
    configuration.bufferDuration = buffer
    let lateness = Lateness()
    defer { lateness.end() }
    let log = StreamLog()
    let stream = PulseDevice(configuration: configuration, clock: clock)
      .makeStream(format: stereo, source: RampSource(), events: log.handler)
    defer { stream.close() }
    stream.start()
    try await log.wait(for: "movement") { $0 == .timingChanged }
    let spread = Straightness(try await origins(of: stream, seconds: 2))
    print(
      "timing, buffer \(buffer) s: \(spread); allowance \(lateness.allowance * 1000) ms, worst \(lateness.worst * 1000)"
    )
    XCTAssertLessThan(spread.p99, 0.001 + lateness.allowance, "buffer \(buffer) s")
    // One for the beginning, and for each block that a busy machine's server renders late.
    XCTAssertLessThanOrEqual(
      log.events.count { $0 == .timingChanged }, 1 + lateness.count(above: 0.0005), "buffer \(buffer) s")
    // Absolute: the sink renders a block when the one before it has been heard, and the monitor shows it then.
    let recording = capture.read { $0.since(0) }
    let delays = recording.arrivals.compactMap { index, time -> Double? in
      guard index < recording.left.count, let frame = RampSource.frame(recording.left[index]) else {
        return nil
      }
      return stream.timing().hostTime(ofFrame: Double(frame)).map { time.seconds(since: $0) }
    }
    XCTAssertLessThan(abs(try XCTUnwrap(delays.min())), 0.03 + lateness.worst)
  }

  private static func aPlainNullSinkIsStraight() async throws {
    var configuration = PrivatePulseServer.Configuration()
    configuration.noRewinds = false
    let server = try PrivatePulseServer(configuration)
    defer { server.stop() }
    try await expectStraight(PulseConfiguration(server: server.address), seconds: 1.5, p99: 0.002)
  }

  private static func pipeWireIsStraight() async throws {
    let server = try await PipeWireServer()
    defer { server.stop() }
    try await expectStraight(
      PulseConfiguration(server: server.address, sink: server.sink), seconds: 4, p99: 0.05)
  }

  private static func expectStraight(_ configuration: PulseConfiguration, seconds: Double, p99: Double)
    async throws
  {
    let lateness = Lateness()
    defer { lateness.end() }
    let log = StreamLog()
    let stream = PulseDevice(configuration: configuration, clock: clock)
      .makeStream(format: stereo, source: RampSource(), events: log.handler)
    defer { stream.close() }
    stream.start()
    try await log.wait(for: "movement") { $0 == .timingChanged }
    let before = log.events.count { $0 == .timingChanged }
    let spread = Straightness(try await origins(of: stream, seconds: seconds))
    print("timing: \(spread); allowance \(lateness.allowance * 1000) ms, worst \(lateness.worst * 1000)")
    XCTAssertLessThan(spread.p99, p99 + lateness.allowance)
    XCTAssertLessThanOrEqual(
      log.events.count { $0 == .timingChanged } - before, 2 + lateness.count(above: 0.0005))
  }
}

/// How evenly something moves, in seconds.
private struct Straightness: CustomStringConvertible {
  var p99: Double
  var maximum: Double
  var count: Int

  /// Around the median of moments that should be one.
  init(_ origins: [Double]) {
    let median = origins.sorted()[origins.count / 2]
    let errors = origins.map { abs($0 - median) }.sorted()
    count = errors.count
    p99 = errors[min(errors.count - 1, errors.count * 99 / 100)]
    maximum = errors[errors.count - 1]
  }

  var description: String { "p99 \(p99 * 1000) ms, maximum \(maximum * 1000) ms of \(count)" }
}
