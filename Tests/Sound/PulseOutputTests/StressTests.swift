import AudioCore
import Clocks
import Foundation
import PulseTestSupport
import Synchronization
import Testing

@testable import PulseOutput

extension RealServers {
  /// Everything at once: no deadlock, no call after the end, no stream left behind.
  @Suite struct StressTests {
    let clock = SystemClock.shared

    private struct Reference { weak var connection: PulseConnection? }

    /// Returns when all loops have ended, each on a thread of its own; the suite's time limit bounds the wait.
    private func awaitEnd(of connections: [Reference]) async throws {
      while connections.contains(where: { $0.connection != nil }) {
        try await Task.sleep(for: .milliseconds(2))
      }
    }

    @Test func allCallsFromAllThreadsWhileTheServerDies() async throws {
      let server = try PrivatePulseServer()
      defer { server.stop() }
      let device = PulseDevice(configuration: PulseConfiguration(server: server.address), clock: clock)
      for round in 0..<6 {
        let isClosed = Atomic<Bool>(false)
        let late = Atomic<Int>(0)
        let failures = Observed(0)
        let source = RampSource()
        try await withThrowingTaskGroup(of: Void.self) { group in
          let stream = device.makeStream(
            format: PCMFormat(sampleRate: 44100, channelCount: 2), source: source
          ) { event in
            if isClosed.load(ordering: .acquiring) { late.add(1, ordering: .relaxed) }
            if case .failed = event { failures.update { $0 += 1 } }
          }
          for worker in 0..<4 {
            group.addTask {
              for step in 0..<120 {
                switch (step * 7 + worker * 3) % 9 {
                case 0, 1: stream.start()
                case 2: stream.stop()
                case 3: stream.flush { _ in }
                case 4: stream.setVolume(Float(step % 10) / 10, muted: step % 4 == 0)
                case 5: stream.dataAvailable()
                default: _ = stream.timing()
                }
                if step % 8 == 0 { try await Task.sleep(for: .milliseconds(1)) }
              }
            }
          }
          if round % 2 == 1 {
            try await Task.sleep(for: .milliseconds(round * 3))
            server.kill(SIGKILL)
          }
          try await group.waitForAll()
          if round % 2 == 1 { _ = try await failures.wait(for: "the failure") { $0 > 0 } }
          stream.close()
          isClosed.store(true, ordering: .releasing)
        }
        let rendered = source.calls
        try await Task.sleep(for: .milliseconds(5))
        #expect(source.calls == rendered)
        #expect(source.isConsecutive)
        #expect(late.load(ordering: .acquiring) == 0)
        #expect(failures.value == round % 2)
        if round % 2 == 1 { try server.restart() }
      }
      #expect(device.probe(limit: 30))
      #expect(try pactl(server.address, "list", "short", "sink-inputs").isEmpty)
    }

    @Test func devicesComeAndGo() async throws {
      let server = try PrivatePulseServer()
      defer { server.stop() }
      var connections: [Reference] = []
      for round in 0..<20 {
        let device = PulseDevice(configuration: PulseConfiguration(server: server.address), clock: clock)
        connections.append(Reference(connection: device.connection))
        if round % 3 > 0 { device.prepare() }
        let log = StreamLog()
        let stream = device.makeStream(
          format: PCMFormat(sampleRate: 44100, channelCount: 2), source: RampSource(), events: log.handler)
        if round % 2 == 0 { try await log.opened() }
        stream.start()
        if round % 4 > 1 { stream.close() }
      }
      try await awaitEnd(of: connections)
    }

    /// Streams are called from three threads while their device is released and its loop ends. Without the count of callers
    /// in `PulseConnection.Access`, a call locks a freed loop, and libpulse 16.1 ends the process: "Assertion
    /// 'pthread_mutex_lock(&m->mutex) == 0' failed at mutex-posix.c:92".
    @Test func streamsAreCalledWhileTheirLoopEnds() async throws {
      let server = try PrivatePulseServer()
      defer { server.stop() }
      var connections: [Reference] = []
      for round in 0..<200 {
        var device: PulseDevice? = PulseDevice(
          configuration: PulseConfiguration(server: server.address), clock: clock)
        connections.append(Reference(connection: device?.connection))
        let log = StreamLog()
        let stream = try #require(device).makeStream(
          format: PCMFormat(sampleRate: 44100, channelCount: 2), source: RampSource(), events: log.handler)
        if round % 4 == 0 { try await log.opened() }
        await withDiscardingTaskGroup { group in
          for worker in 0..<3 {
            group.addTask {
              for call in 0..<100 {
                switch (call + worker) % 5 {
                case 0: stream.close()
                case 1: stream.stop()
                case 2: stream.setVolume(0.5, muted: false)
                case 3: stream.flush { _ in }
                default: stream.start()
                }
                if call % 8 == 0 { await Task.yield() }
              }
            }
          }
          device = nil
        }
      }
      try await awaitEnd(of: connections)
      #expect(try pactl(server.address, "list", "short", "sink-inputs").isEmpty)
    }
  }
}
