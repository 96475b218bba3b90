import AudioCore
import Clocks
import Foundation
import PulseTestSupport
import Synchronization
import TestSupport
import Testing

@testable import PulseOutput

/// All that needs a real server. Each test has its own.
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

    /// Waits until the server's answer says that a stream stands at that frame.
    private func stands(_ stream: any AudioOutputStream, at frame: Int64) async throws {
      let end = ContinuousClock.now + .seconds(120)
      while Int64(stream.timing().heardFrame) != frame, ContinuousClock.now < end {
        try await Task.sleep(for: .milliseconds(2))
      }
      for _ in 0..<2 {
        let timing = stream.timing()
        #expect(Int64(timing.heardFrame) == frame && timing.frameRate == 0)
      }
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
        _ = try await capture.untilSilence()
        // Where it goes on: the frame after the last one captured.
        let last: Int64? = capture.read { $0.frames.last ?? nil }
        let next = try #require(last) + 1
        try await stands(stream, at: next)
        stream.start()
      }
      let recording = try await capture.heard(88200)
      let all: [Int64?] = Array(0..<88200 as Range<Int64>)
      #expect(recording.frames == all)
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
      let until = Array(heard.prefix { $0 != last }) + [last]
      let frames: [Int64] = expected.flatMap { Array($0) }
      #expect(until == frames)
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
      try await stands(stream, at: 20000)
      #expect(stream.timing().heardFrame == 20000)
      // A rest far below the threshold, at the end.
      source.extend(to: 20100, isAtEnd: true)
      stream.dataAvailable()
      let recording = try await capture.heard(frame: 20099)
      #expect(recording.frames == (0..<20100).map { Int64?.some($0) })
    }
  }
}
