import AudioCore
import Foundation
import HostTime
import PulseTestSupport
import Synchronization
import TestSupport
import Testing

@testable import PulseOutput

/// All that needs a real server, one after the other: they measure time.
@Suite(.blocksThread, .timeLimit(.minutes(10))) enum RealServers {}

extension RealServers {
  /// The device against private PulseAudio servers.
  @Suite struct PlayingTests {
    let clock = SystemClock.shared
    static let stereo = PCMFormat(sampleRate: 44100, channelCount: 2)

    func device(_ address: String, sink: String? = nil) -> PulseDevice {
      PulseDevice(configuration: PulseConfiguration(server: address, sink: sink), clock: clock)
    }

    @Test func rampArrivesBitExact() async throws {
      let server = try PrivatePulseServer()
      defer { server.stop() }
      let capture = try MonitorCapture(address: server.address, sink: "continuo")
      defer { capture.stop() }
      try await capture.started()
      let source = RampSource(available: 66150, isAtEnd: true)
      let log = StreamLog()
      let stream = device(server.address).makeStream(format: Self.stereo, source: source, events: log.handler)
      defer { stream.close() }
      stream.start()
      #expect(try await log.opened() == "continuo")
      let recording = try await capture.heard(66150)
      #expect(recording.frames == (0..<66150).map { Int64?.some($0) })
      #expect(recording.innerSilence == 0)
      #expect(source.isConsecutive)
      let timing = stream.timing()
      #expect(timing.renderedFrames == 66150)
      // All was captured, so at most a block is still on its way to the ear.
      #expect(timing.heardFrame > 66150 - 3000)
    }

    @Test func stopAndStartLoseNothing() async throws {
      let server = try PrivatePulseServer()
      defer { server.stop() }
      let capture = try MonitorCapture(address: server.address, sink: "continuo")
      defer { capture.stop() }
      try await capture.started()
      let source = RampSource(available: 88200, isAtEnd: true)
      let log = StreamLog()
      let stream = device(server.address).makeStream(format: Self.stereo, source: source, events: log.handler)
      defer { stream.close() }
      stream.start()
      for frame in [10000, 30000, 50000] as [Int64] {
        _ = try await capture.heard(frame: frame)
        let before = stream.timing()
        stream.stop()
        let stopped = stream.timing()
        #expect(stopped.frameRate == 0)
        #expect(stopped.heardFrame >= before.heardFrame)
        _ = try await capture.passed(8820)
        let rest = stream.timing()
        #expect(rest.frameRate == 0)
        // Where it goes on: the frame after the last one captured.
        #expect(Int64(rest.heardFrame) == (capture.read { $0.frames.last } ?? 0).map { $0 + 1 })
        stream.start()
      }
      let recording = try await capture.heard(88200)
      #expect(recording.frames == (0..<88200).map { Int64?.some($0) })
    }

    @Test func flushIsExact() async throws {
      let server = try PrivatePulseServer()
      defer { server.stop() }
      let capture = try MonitorCapture(address: server.address, sink: "continuo")
      defer { capture.stop() }
      try await capture.started()
      let source = RampSource()
      let log = StreamLog()
      let stream = device(server.address).makeStream(format: Self.stereo, source: source, events: log.handler)
      defer { stream.close() }
      stream.start()
      var expected: [ClosedRange<Int64>] = []
      var first: Int64 = 0
      for _ in 0..<3 {
        _ = try await capture.heard(frame: first + 15000)
        let dropped = Observed<(dropped: Int64, rendered: Int64)?>(nil)
        stream.flush { frame in dropped.update { $0 = (frame, source.rendered) } }
        let answer = try #require(try await dropped.wait(for: "flush") { $0 != nil })
        expected.append(first...(answer.dropped - 1))
        #expect(answer.dropped < answer.rendered)
        first = answer.rendered
        #expect(stream.timing().heardFrame >= Double(first))
      }
      let last = first + 10000
      let recording = try await capture.heard(frame: last)
      expected.append(first...last)
      let heard = recording.frames.compactMap { $0 }
      #expect(Array(heard.prefix { $0 != last }) + [last] == expected.flatMap { Array($0) })
      #expect(source.isConsecutive)
    }

    @Test func starvedStreamGoesOn() async throws {
      let server = try PrivatePulseServer()
      defer { server.stop() }
      let capture = try MonitorCapture(address: server.address, sink: "continuo")
      defer { capture.stop() }
      try await capture.started()
      // Less than the start threshold, and not at its end: nothing may sound yet.
      let source = RampSource(available: 500)
      let log = StreamLog()
      let stream = device(server.address).makeStream(format: Self.stereo, source: source, events: log.handler)
      defer { stream.close() }
      stream.start()
      try await log.opened()
      _ = try await capture.passed(4410)
      #expect(capture.read { $0.frames.isEmpty })
      source.extend(to: 20000)
      stream.dataAvailable()
      _ = try await capture.heard(frame: 19999)
      _ = try await capture.passed(8820)
      let starved = stream.timing()
      #expect(starved.heardFrame == 20000)
      #expect(starved.frameRate == 0)
      // A rest far below the threshold, at the end.
      source.extend(to: 20100, isAtEnd: true)
      stream.dataAvailable()
      let recording = try await capture.heard(frame: 20099)
      #expect(recording.frames == (0..<20100).map { Int64?.some($0) })
    }

    @Test(arguments: [0.5, 1.0, 2.0]) func timingFollowsTheMonotonicClock(buffer: Double) async throws {
      let server = try PrivatePulseServer()
      defer { server.stop() }
      let capture = try MonitorCapture(address: server.address, sink: "continuo")
      defer { capture.stop() }
      try await capture.started()
      var configuration = PulseConfiguration(server: server.address)
      configuration.bufferDuration = buffer
      // A machine that is busy enough starves the sink: then the gap is in the capture, and the jump is the truth.
      var attempts = 0
      while true {
        attempts += 1
        let log = StreamLog()
        let before = capture.read { $0.left.count }
        let stream = PulseDevice(configuration: configuration, clock: clock)
          .makeStream(format: Self.stereo, source: RampSource(), events: log.handler)
        defer { stream.close() }
        stream.start()
        try await log.wait(for: "movement") { $0 == .timingChanged }
        let spread = Straightness(try await Self.origins(of: stream, clock: clock, seconds: 3))
        let recording = capture.read { $0.since(before) }
        print("timing, buffer \(buffer) s: \(spread), \(recording.innerSilence) frames of silence")
        if recording.innerSilence > 0, attempts < 3 { continue }
        #expect(spread.p99 < 0.001)
        #expect(log.events.count { $0 == .timingChanged } == 1)
        // Absolute: the sink renders a block when the one before it has been heard, and the monitor shows it then.
        let delays = recording.arrivals.compactMap { index, time -> Double? in
          guard index < recording.left.count, let frame = RampSource.frame(recording.left[index]) else {
            return nil
          }
          return stream.timing().hostTime(ofFrame: Double(frame)).map { time.seconds(since: $0) }
        }
        let earliest = try #require(delays.min())
        print("a block's first frame at the monitor: \(earliest) s after it was heard")
        #expect(abs(earliest) < 0.03)
        return
      }
    }

    /// When, by each of many timings, frame 0 was heard.
    static func origins(of stream: any AudioOutputStream, clock: SystemClock, seconds: Double) async throws
      -> [Double]
    {
      var origins: [Double] = []
      let start = clock.now
      var last = 0.0
      while clock.now.seconds(since: start) < seconds {
        let timing = stream.timing()
        #expect(timing.heardFrame >= last)
        last = timing.heardFrame
        if timing.frameRate > 0 { origins.append(timing.hostTime.seconds - timing.heardFrame / 44100) }
        try await Task.sleep(for: .milliseconds(5))
      }
      return origins
    }
  }
}

/// How evenly something moves, in seconds.
struct Straightness: CustomStringConvertible {
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
