import Foundation
import PulseOutput
import PulseTestSupport
import Testing

extension EndToEndTests {
  /// A player that has nothing to do does nothing.
  @Suite struct IdleTests {
    @Test(arguments: ["pause", "home"]) func pausedOrSuspendedItSleeps(command: String) async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 5, bitRate: 64).write(into: studio.folder)
      let server = try studio.startServer()
      let player = try studio.play(
        [path, "--at", "0.3:\(command)", "--background-modes", "none"], server: server)
      try await player.seen("stop") {
        $0 == .timeControlStatus("paused", reason: nil) || $0 == .applicationState("suspended")
      }
      // Until the last of it has settled.
      try await Task.sleep(for: .seconds(0.5))
      let before = try player.child.counters()
      try await Task.sleep(for: .seconds(3))
      let after = try player.child.counters()
      let sleeps = after.sleeps - before.sleeps
      print("\(command): \(sleeps) wake-ups and \(after.cpuSeconds - before.cpuSeconds) s of CPU in 3 s")
      // One a second of its own, and what libpulse and the server make of it.
      #expect(sleeps <= 9)
      #expect(after.cpuSeconds - before.cpuSeconds <= 0.01)
      #expect(try await player.ended(by: SIGTERM).seconds < 0.3)
    }
  }
}
