import AudioCore
import Clocks
import Foundation
import PulseTestSupport
import Testing

@testable import PulseOutput

extension RealServers {
  /// The two servers that are hard to read: a null sink as people load it, and PipeWire.
  @Suite struct OtherServersTests {
    let clock = SystemClock.shared
    let stereo = PCMFormat(sampleRate: 44100, channelCount: 2)

    func device(_ address: String) -> PulseDevice {
      PulseDevice(configuration: PulseConfiguration(server: address), clock: clock)
    }

    @Test func plainNullSinkMovesAfterStopsAndFlushes() async throws {
      var configuration = PrivatePulseServer.Configuration()
      configuration.noRewinds = false
      let server = try PrivatePulseServer(configuration)
      defer { server.stop() }
      let log = StreamLog()
      let stream = device(server.address).makeStream(
        format: stereo, source: RampSource(), events: log.handler)
      defer { stream.close() }
      var mark = 0
      for round in 0..<4 {
        stream.start()
        // The flush itself is an event too.
        try await log.wait(for: "movement", count: round == 2 ? 2 : 1, from: mark) { $0 == .timingChanged }
        // A sink that was idle has a block of up to 2 s to finish first.
        let begin = stream.timing()
        #expect(begin.hostTime.seconds(since: clock.now) < 2.5)
        mark = log.events.count
        if round == 1 {
          let dropped = Observed<Int64?>(nil)
          stream.flush { frame in dropped.update { $0 = frame } }
          _ = try await dropped.wait(for: "flush") { $0 != nil }
        } else {
          stream.stop()
          try await Task.sleep(for: .milliseconds(round == 2 ? 800 : 100))
          let stopped = stream.timing()
          #expect(stopped.frameRate == 0)
          mark = log.events.count
        }
      }
    }

    @Test func pipeWirePlaysToTheEndAfterAFlush() async throws {
      let server = try await PipeWireServer()
      defer { server.stop() }
      let capture = try MonitorCapture(address: server.address, sink: server.sink)
      defer { capture.stop() }
      let device = PulseDevice(
        configuration: PulseConfiguration(server: server.address, sink: server.sink), clock: clock)
      let log = StreamLog()
      let source = RampSource()
      let stream = device.makeStream(format: stereo, source: source, events: log.handler)
      defer { stream.close() }
      stream.start()
      try await log.wait(for: "movement") { $0 == .timingChanged }
      // Seek, then the end of everything: the tail is far shorter than what PipeWire takes at once.
      let dropped = Observed<Int64?>(nil)
      source.extend(to: .max)
      stream.flush { frame in
        source.extend(to: source.rendered + 20011, isAtEnd: true)
        dropped.update { $0 = frame }
      }
      let answer = try #require(try await dropped.wait(for: "flush") { $0 != nil })
      let end = source.rendered
      #expect(answer < end)
      stream.dataAvailable()
      _ = try await capture.passed(44100)
      let timing = stream.timing()
      #expect(timing.heardFrame == Double(source.rendered))
      #expect(capture.read { $0.left.last } == 0)
      // The ramp is resampled to 48 kHz and back, which rings at its end: what stands 2000 frames before that end shows
      // how much of it was heard.
      let left = capture.read { $0.left.map { $0 } }
      let expected = RampSource.sample(source.rendered - 1)
      let end48 = try #require(left.lastIndex { $0 > expected / 2 })
      let missing = (RampSource.sample(source.rendered - 1 - 2000) - left[end48 - 2000]) * 16_777_216
      print("PipeWire: \(missing) frames missing at the end")
      #expect(abs(missing) < 30)
    }
  }
}
