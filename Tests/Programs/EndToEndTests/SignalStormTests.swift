import Foundation
import PulseTestSupport
import TestSupport
import Testing

extension EndToEndTests {
  /// Signals at any moment of a start: no process, no directory, and no socket that is in anybody's way.
  @Suite struct SignalStormTests {
    private static var count: Int { Rounds.count(40) }

    @Test func signalsInTheFirst100MillisecondsLeaveNothing() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 5, bitRate: 64).write(into: studio.folder)
      var random = RandomSource(seed: 5)
      let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGKILL]
      for index in 0..<Self.count {
        let signal = random.pick(signals)
        // Until the program's first line runs, the runtime of a debug build takes SIGQUIT for a crash to describe.
        let player = try studio.play(
          [path, "--null-sink", "--socket", studio.socketPath],
          environment: ["SWIFT_BACKTRACE": "enable=no"], hasEvents: false)
        let microseconds = random.below(100_000)
        // The moment is the case.
        try await Task.sleep(for: .microseconds(microseconds))
        let ending = try await player.ended(by: signal)
        let what = "player \(index), signal \(signal) after \(microseconds) µs: \(player.log.value.errors)"
        #expect(ending.end.status == 128 + signal, "\(what)")
        do { try await studio.becomesClean() } catch { Issue.record("\(what): \(error)") }
        // After SIGKILL nobody is there to remove the file.
        if signal == SIGKILL { unlink(studio.socketPath) }
        #expect(!FileManager.default.fileExists(atPath: studio.socketPath), "\(what): a socket")
      }
      // Such a file is in nobody's way: the next player takes its place.
      let arguments = [path, "--output", "simulated", "--socket", studio.socketPath]
      let killed = try studio.play(arguments)
      try await killed.reached(10)
      killed.kill()
      _ = try await killed.ended()
      #expect(FileManager.default.fileExists(atPath: studio.socketPath))
      let last = try studio.play(arguments)
      try await last.reached(10)
      #expect(try await last.ended(by: SIGTERM).end.status == 128 + SIGTERM)
      #expect(!FileManager.default.fileExists(atPath: studio.socketPath))
    }
  }
}
