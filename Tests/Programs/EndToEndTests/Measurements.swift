import Clocks
import Foundation
import PulseOutput
import PulseTestSupport
import Testing
import XCTest

/// Figures of time and processor. `swift test` runs these before all other tests, and beside nothing but each other: those
/// that wait without a processor do so together.
final class EndToEndMeasurements: XCTestCase {
  private func studio(_ body: (Studio, Lateness) async throws -> Void) async throws {
    try await Self.studio(body)
  }

  private static func studio(_ body: (Studio, Lateness) async throws -> Void) async throws {
    let studio = try Studio()
    defer { studio.close() }
    let lateness = Lateness()
    defer { lateness.end() }
    try await body(studio, lateness)
  }

  func testWhoHasNothingToDoCostsNothing() async throws {
    async let sleeps: Void = Self.sleepsWhilePausedOrSuspended()
    async let waits: Void = Self.costsNothingWithADeadServer()
    _ = try await (sleeps, waits)
  }

  func testStepsAreEven() async throws {
    async let plain: Void = Self.stepsAreEvenOnAPlainNullSink()
    async let pipeWire: Void = Self.stepsAreEvenOnPipeWire()
    _ = try await (plain, pipeWire)
  }

  /// Within 300 ms; a clean-up that hangs would take 3 s.
  func testASignalEndsAPlayerAtOnce() async throws {
    try await studio { studio, lateness in
      let path = try await Song(duration: 5, bitRate: 64).write(into: studio.folder)
      for (state, arguments) in [
        ("playing", []), ("paused", ["--at", "0.1:pause"]),
        ("suspended", ["--at", "0.1:home", "--background-modes", "none"]),
      ] {
        let player = try studio.play([path, "--null-sink"] + arguments)
        switch state {
        case "paused": try await player.seen(state) { $0 == .timeControlStatus("paused", reason: nil) }
        case "suspended": try await player.seen(state) { $0 == .applicationState("suspended") }
        default: try await player.reached(20)
        }
        let seconds = try await player.ended(by: SIGTERM).seconds
        print("ended after \(seconds) s, \(state)")
        XCTAssertLessThan(seconds, 1 + lateness.worst, state)
      }
    }
  }

  /// Nobody reads the events, so that the player waits for its reader, for 3 s; a second signal does not.
  func testTwoSignalsEndAPlayerThatNobodyReads() async throws {
    try await studio { studio, lateness in
      let path = try await Song(duration: 5, bitRate: 64).write(into: studio.folder)
      let player = try studio.play([path, "--null-sink"], eventPipeBytes: 4096)
      try await player.reached(10)
      player.pauseEvents()
      // The pipe is full after half a second.
      try await Task.sleep(for: .seconds(1))
      player.child.signal(SIGTERM)
      try await Task.sleep(for: .milliseconds(30))
      let seconds = try await player.ended(by: SIGTERM).seconds
      print("ended by two signals after \(seconds) s")
      XCTAssertLessThan(seconds, 1 + lateness.worst)
      player.resumeEvents()
    }
  }

  /// One wake-up a second of its own, and what libpulse and the server make of it.
  private static func sleepsWhilePausedOrSuspended() async throws {
    try await studio { studio, _ in
      let path = try await Song(duration: 5, bitRate: 64).write(into: studio.folder)
      let server = try studio.startServer()
      let players = try ["pause", "home"].map {
        try studio.play([path, "--at", "0.1:\($0)", "--background-modes", "none"], server: server)
      }
      try await players[0].seen("pause") { $0 == .timeControlStatus("paused", reason: nil) }
      try await players[1].seen("suspension") { $0 == .applicationState("suspended") }
      // Until the last of it has settled.
      try await Task.sleep(for: .seconds(0.5))
      let before = try players.map { try $0.child.counters() }
      try await Task.sleep(for: .seconds(3))
      for (player, before) in zip(players, before) {
        let after = try player.child.counters()
        // A step's timer would wake it 300 times, and who never sleeps would take 3 s.
        XCTAssertLessThanOrEqual(after.sleeps - before.sleeps, 30)
        XCTAssertLessThanOrEqual(after.cpuSeconds - before.cpuSeconds, 0.05)
      }
    }
  }

  /// Such a sink idles in blocks of 2 s, in which a raw clock stalls for half a second and more.
  private static func stepsAreEvenOnAPlainNullSink() async throws {
    try await studio { studio, lateness in
      let path = try await Song(duration: 3).write(into: studio.folder)
      let player = try studio.play([path], server: try studio.startServer(noRewinds: false))
      let end = try await player.ended()
      let steps = player.events.steps(of: 0)
      let gaps = zip(steps, steps.dropFirst()).map { $1.host - $0.host }
      XCTAssertLessThan(Spread(ofSteps: steps).quantile(0.9), 20 + lateness.allowance * 1000)
      XCTAssertLessThan(gaps.max() ?? 1, 0.3 + lateness.worst)
      // The end is heard, not written.
      XCTAssertLessThan(end.time.seconds - (steps.last?.host ?? 0), 1 + lateness.worst)
    }
  }

  private static func stepsAreEvenOnPipeWire() async throws {
    try await studio { studio, lateness in
      let path = try await Song(duration: 3).write(into: studio.folder)
      let server = try await PipeWireServer()
      defer { server.stop() }
      let player = try studio.play([path, "--server", server.address, "--sink", server.sink])
      let status = try await player.ended().status
      XCTAssertEqual(status, 0)
      // The line through a server's reports may still be found in the first half second.
      let steps = player.events.steps(of: 0).filter { $0.value >= 50 }
      XCTAssertLessThan(Spread(ofSteps: steps).quantile(0.9), 20 + lateness.allowance * 1000)
    }
  }

  /// Within a quarter of a second; the second song would come 0.6 s later if the buffer were played out first.
  func testNextIsHeardAtOnce() async throws {
    try await studio { studio, lateness in
      var paths: [String] = []
      for seed in [12, 13] as [UInt64] {
        paths.append(try await Song(duration: 1, seed: seed).write(into: studio.folder))
      }
      let server = try studio.startServer()
      let capture = try await studio.capture(server.address)
      let player = try studio.play(paths + ["--at", "0.4:next"], server: server)
      try await player.ended()
      let heard = Sound(try await capture.untilSilence()).trimmed
      let second = try await Sound.mpg123([paths[1]]).trimmed
      let beginning = heard[0..<heard.frames.count - second.frames.count]
      let seconds = Double(beginning.trimmed.frames.count) / 44_100
      print("the next song is heard after \(seconds - 0.4) s")
      XCTAssertLessThan(seconds, 0.9 + lateness.worst)
      let silence = Double(beginning.frames.count - beginning.trimmed.frames.count) / 44_100
      XCTAssertLessThan(silence, 0.4 + lateness.worst)
    }
  }

  /// The work of a player whose server is gone: some attempts, ever fewer.
  private static func costsNothingWithADeadServer() async throws {
    try await studio { studio, _ in
      let path = try await Song(duration: 5, bitRate: 64).write(into: studio.folder)
      let server = try studio.startServer()
      let player = try studio.play([path], server: server)
      try await player.reached(20)
      server.kill(SIGKILL)
      _ = try await player.log.wait(for: "the third attempt") { $0.errors.count >= 3 }
      let before = try player.child.counters()
      try await Task.sleep(for: .seconds(3))
      let after = try player.child.counters()
      XCTAssertLessThan(after.cpuSeconds - before.cpuSeconds, 0.1)
      XCTAssertLessThan(after.sleeps - before.sleeps, 100)
    }
  }
}

extension Spread {
  /// How far from evenly spaced steps are.
  fileprivate init(ofSteps steps: [(value: Int64, host: Double)]) {
    let origins = steps.map { $0.host - Double($0.value) / 100 }
    let median = origins.sorted()[origins.count / 2]
    self.init(origins.map { $0 - median })
  }
}
