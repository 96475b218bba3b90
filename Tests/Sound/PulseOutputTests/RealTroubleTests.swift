import AudioCore
import Clocks
import Foundation
import PulseTestSupport
import Testing

@testable import PulseOutput

extension RealServers {
  /// What goes wrong with real servers.
  @Suite struct TroubleTests {
    let clock = SystemClock.shared
    let stereo = PCMFormat(sampleRate: 44100, channelCount: 2)

    func configuration(_ address: String, sink: String? = nil, timeout: Double = 5) -> PulseConfiguration {
      var result = PulseConfiguration(server: address, sink: sink)
      result.replyTimeout = timeout
      return result
    }

    func open(
      _ device: PulseDevice, _ source: RampSource = RampSource()
    ) -> (stream: any AudioOutputStream, log: StreamLog) {
      let log = StreamLog()
      let stream = device.makeStream(format: stereo, source: source, events: log.handler)
      stream.start()
      return (stream, log)
    }

    @Test func noServerFailsAtOnce() async throws {
      let device = PulseDevice(
        configuration: configuration("unix:/tmp/continuo-no-such-socket"), clock: clock)
      let (stream, log) = open(device)
      let (error, frame) = try await log.failed()
      #expect(error.isRecoverable)
      #expect(frame == 0)
      stream.start()
      stream.flush { _ in }
      stream.setVolume(0.5, muted: false)
      stream.close()
      #expect(log.events.count == 1)
    }

    @Test func killedServerFailsAndComesBack() async throws {
      let server = try PrivatePulseServer()
      defer { server.stop() }
      let device = PulseDevice(configuration: configuration(server.address), clock: clock)
      let (stream, log) = open(device)
      try await log.wait(for: "movement") { $0 == .timingChanged }
      try await Task.sleep(for: .milliseconds(300))
      let before = stream.timing()
      server.kill(SIGKILL)
      let (error, frame) = try await log.failed()
      #expect(error.isRecoverable && error.cause == .server)
      #expect(frame >= Int64(before.heardFrame))
      #expect(frame < Int64(before.heardFrame) + 44100)
      #expect(stream.timing().frameRate == 0)
      #expect(Int64(stream.timing().heardFrame) == frame)
      stream.close()

      let (refused, refusedLog) = open(device)
      try await refusedLog.failed()
      refused.close()

      try server.restart()
      let (second, secondLog) = open(device)
      defer { second.close() }
      try await secondLog.opened()
      try await secondLog.wait(for: "movement") { $0 == .timingChanged }
    }

    @Test func sinkThatIsNotThereIsNamedAndThoseThatAre() async throws {
      let server = try PrivatePulseServer()
      defer { server.stop() }
      try pactl(server.address, "load-module", "module-null-sink", "sink_name=hall", "norewinds=1")
      let device = PulseDevice(configuration: configuration(server.address, sink: "elsewhere"), clock: clock)
      let (stream, log) = open(device)
      defer { stream.close() }
      let (error, _) = try await log.failed()
      #expect(error.isRecoverable && error.cause == .device)
      #expect(
        error.message
          == "no sink \"elsewhere\" on the sound server at \(server.address); its sinks: continuo, hall")
      // It may come.
      try pactl(server.address, "load-module", "module-null-sink", "sink_name=elsewhere", "norewinds=1")
      let (second, secondLog) = open(device)
      defer { second.close() }
      #expect(try await secondLog.opened() == "elsewhere")
      // And go while it plays.
      try await secondLog.wait(for: "movement") { $0 == .timingChanged }
      let modules = try pactl(server.address, "list", "short", "modules").split(separator: "\n")
      let module = modules.first { $0.contains("sink_name=elsewhere") }?.split(separator: "\t").first ?? ""
      try pactl(server.address, "unload-module", String(module))
      let events = try await secondLog.wait(for: "the move, or the end") {
        switch $0 {
        case .moved, .failed: true
        default: false
        }
      }
      guard case .failed(let end, _)? = events.last else { return }
      #expect(end.message.contains("\"elsewhere\"") && end.cause == .device, "\(end)")
    }

    @Test func serverWithoutASinkSaysSo() async throws {
      let server = try PrivatePulseServer()
      defer { server.stop() }
      try pactl(server.address, "unload-module", "module-null-sink")
      let device = PulseDevice(configuration: configuration(server.address), clock: clock)
      let (stream, log) = open(device)
      defer { stream.close() }
      let (error, _) = try await log.failed()
      #expect(error.isRecoverable && error.cause == .device)
      #expect(error.message == "the sound server at \(server.address) has no sink")
    }

    /// A label of 64 letters is in no name server, and none is asked.
    @Test(arguments: ["NAME", "tcp:NAME:4713", "tcp6:NAME", "{other}unix:/nowhere tcp:NAME"])
    func serverWhoseNameDoesNotExistIsNotRefused(address: String) async throws {
      let name = String(repeating: "x", count: 64)
      let device = PulseDevice(
        configuration: configuration(address.replacingOccurrences(of: "NAME", with: name)), clock: clock)
      for _ in 0..<2 {
        let (stream, log) = open(device)
        let (error, _) = try await log.failed()
        #expect(error.isRecoverable && error.cause == .server)
        #expect(error.message.hasSuffix("no such host: \(name)"))
        stream.close()
      }
    }

    @Test func serverThatRefusesIsStillSaidTo() async throws {
      let device = PulseDevice(configuration: configuration("tcp:localhost:1"), clock: clock)
      let (stream, log) = open(device)
      defer { stream.close() }
      #expect(try await log.failed().error.message.hasSuffix(": Connection refused"))
    }

    @Test func unloadedSinkEndsTheStreamOnly() async throws {
      let server = try PrivatePulseServer()
      defer { server.stop() }
      let device = PulseDevice(configuration: configuration(server.address), clock: clock)
      let (stream, log) = open(device)
      try await log.wait(for: "movement") { $0 == .timingChanged }
      try pactl(server.address, "unload-module", "module-null-sink")
      let (error, _) = try await log.failed()
      #expect(error.message.contains("\"continuo\"") && error.cause == .device)
      stream.close()
      try pactl(server.address, "load-module", "module-null-sink", "sink_name=again", "norewinds=1")
      let (second, secondLog) = open(device)
      defer { second.close() }
      #expect(try await secondLog.opened() == "again")
    }

    @Test func suspensionStandsStillAndGoesOn() async throws {
      let server = try PrivatePulseServer()
      defer { server.stop() }
      let source = RampSource()
      let (stream, log) = open(
        PulseDevice(configuration: configuration(server.address), clock: clock), source)
      defer { stream.close() }
      try await log.wait(for: "movement") { $0 == .timingChanged }
      try pactl(server.address, "suspend-sink", "continuo", "1")
      try await log.wait(for: "suspension") { $0 == .suspended(true) }
      let stands = stream.timing()
      #expect(stands.frameRate == 0)
      try await Task.sleep(for: .milliseconds(200))
      let still = stream.timing()
      #expect(still.frameRate == 0)
      #expect(still.heardFrame - stands.heardFrame < 4410)
      let mark = log.events.count
      try pactl(server.address, "suspend-sink", "continuo", "0")
      try await log.wait(for: "resumption", from: mark) { $0 == .suspended(false) }
      try await log.wait(for: "movement", from: mark) { $0 == .timingChanged }
      let moving = stream.timing()
      #expect(moving.frameRate > 0)
      #expect(moving.heardFrame >= still.heardFrame)
    }

    @Test func movedStreamGoesOn() async throws {
      let server = try PrivatePulseServer()
      defer { server.stop() }
      try pactl(
        server.address, "load-module", "module-null-sink", "sink_name=other", "norewinds=1", "rate=48000")
      let (stream, log) = open(
        PulseDevice(configuration: configuration(server.address, sink: "continuo"), clock: clock))
      defer { stream.close() }
      try await log.wait(for: "movement") { $0 == .timingChanged }
      let input = try pactl(server.address, "list", "short", "sink-inputs").split(separator: "\t").first ?? ""
      let before = stream.timing()
      try pactl(server.address, "move-sink-input", String(input), "other")
      try await log.wait(for: "move") { $0 == .moved(route: "other") }
      // With its sink gone the stream lives on the other one.
      let modules = try pactl(server.address, "list", "short", "modules").split(separator: "\n")
      let module = modules.first { $0.contains("sink_name=continuo") }?.split(separator: "\t").first ?? ""
      try pactl(server.address, "unload-module", String(module))
      // Half a second of it is heard there, and none of it early.
      let limit = clock.now.advanced(bySeconds: 120)
      let gone = stream.timing().heardFrame
      var after = stream.timing()
      while after.heardFrame < gone + 22_050, clock.now < limit {
        try await Task.sleep(for: .milliseconds(5))
        after = stream.timing()
      }
      #expect(after.frameRate > 0 && after.heardFrame >= gone + 22_050)
      let expected = before.heardFrame + after.hostTime.seconds(since: before.hostTime) * 44100
      #expect(gone >= before.heardFrame && after.heardFrame < expected + 44100 * 0.15)
    }

    @Test func stoppedServerMeetsTheLimit() async throws {
      let server = try PrivatePulseServer()
      defer { server.stop() }
      server.kill(SIGSTOP)
      let (stream, log) = open(
        PulseDevice(configuration: configuration(server.address, timeout: 0.5), clock: clock))
      let (error, _) = try await log.failed()
      #expect(error.isRecoverable)
      #expect(error.message.contains("did not answer"))
      stream.close()
      server.kill(SIGCONT)
      // It may take its time to answer again.
      let (second, secondLog) = open(
        PulseDevice(configuration: configuration(server.address, timeout: 10), clock: clock))
      defer { second.close() }
      try await secondLog.wait(for: "movement") { $0 == .timingChanged }
      // While playing: nothing hangs, and a flush that nobody answers ends the stream.
      server.kill(SIGSTOP)
      second.stop()
      second.start()
      second.dataAvailable()
      second.flush { _ in Issue.record("a stopped server answered") }
      _ = second.timing()
      try await secondLog.failed()
      server.kill(SIGCONT)
    }

    @Test func serverThatIsStoppedDuringPlaybackMeetsTheLimitAndIsConnectedAnew() async throws {
      let server = try PrivatePulseServer()
      defer { server.stop() }
      let device = PulseDevice(configuration: configuration(server.address), clock: clock)
      let (stream, log) = open(device)
      try await log.wait(for: "movement") { $0 == .timingChanged }
      #expect(device.surroundings(limit: 60) != nil)
      server.kill(SIGSTOP)
      let (error, _) = try await log.failed()
      #expect(error.isRecoverable && error.message.contains("did not answer"))
      stream.close()
      server.kill(SIGCONT)
      let (second, secondLog) = open(device)
      defer { second.close() }
      try await secondLog.wait(for: "movement") { $0 == .timingChanged }
      let limit = clock.now.advanced(bySeconds: 120)
      while device.surroundings(limit: 0) == nil, clock.now < limit {
        try await Task.sleep(for: .milliseconds(1))
      }
      #expect(device.surroundings(limit: 0) != nil)
    }

    @Test func closeWhileOpeningIsSilent() async throws {
      let server = try PrivatePulseServer()
      defer { server.stop() }
      let device = PulseDevice(configuration: configuration(server.address), clock: clock)
      for pause in 0..<30 {
        let (stream, log) = open(device)
        if pause > 0 { try await Task.sleep(for: .microseconds(pause * 100)) }
        stream.close()
        let count = log.events.count
        try await Task.sleep(for: .milliseconds(2))
        #expect(log.events.count == count)
      }
      let (last, log) = open(device)
      defer { last.close() }
      try await log.opened()
      #expect(try pactl(server.address, "list", "short", "sink-inputs").split(separator: "\n").count == 1)
    }

    @Test func volumeIsTheServers() async throws {
      let server = try PrivatePulseServer()
      defer { server.stop() }
      let capture = try MonitorCapture(address: server.address, sink: "continuo")
      defer { capture.stop() }
      try await capture.started()
      let device = PulseDevice(configuration: configuration(server.address), clock: clock)
      let log = StreamLog()
      let stream = device.makeStream(format: stereo, source: RampSource(), events: log.handler)
      defer { stream.close() }
      stream.setVolume(0.5, muted: false)
      stream.start()
      let halved = try await capture.heard(4410).left.first { $0 != 0 } ?? 0
      #expect(abs(halved / RampSource.sample(0) - 0.5) < 0.001)
      stream.setVolume(1, muted: false)
      _ = try await capture.passed(13230)
      #expect(RampSource.frame(capture.read { $0.left.last } ?? 0) != nil)
      stream.setVolume(1, muted: true)
      _ = try await capture.passed(13230)
      #expect(capture.read { $0.left.last } == 0)
    }
  }
}
