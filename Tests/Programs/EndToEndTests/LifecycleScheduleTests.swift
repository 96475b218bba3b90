import Foundation
import PulseOutput
import PulseTestSupport
import TestSupport
import Testing

extension EndToEndTests {
  /// What people and the system do to the application, in any order and at any moment, with the sound that is heard of
  /// it.
  @Suite struct LifecycleScheduleTests {
    /// So many at a time: each mostly waits.
    private static let width = 4

    private static var count: UInt64 { UInt64(Rounds.count(8)) }

    /// Commands with their moments; at last what lets sound go on.
    private static func schedule(_ seed: UInt64) -> [String] {
      var random = RandomSource(seed: seed)
      let commands = [
        "home", "home", "foreground", "foreground", "lock", "unlock", "interrupt begin", "interrupt begin",
        "interrupt end resume", "interrupt end noresume", "pause", "play", "play", "toggle",
      ]
      var time = 50 + random.below(300)
      var result: [String] = []
      for _ in 0..<(1 + random.below(8)) {
        result.append("\(Double(time) / 1000):\(random.pick(commands))")
        // Often in the same instant.
        time += random.below(3) == 0 ? 0 : random.below(200)
      }
      for command in ["interrupt end resume", "foreground", "play"] {
        time += 60
        result.append("\(Double(time) / 1000):\(command)")
      }
      return result
    }

    /// Plays one schedule and returns what is wrong with it.
    private static func play(_ seed: UInt64) async throws -> String? {
      let studio = try Studio()
      defer { studio.close() }
      let song = Song(duration: 0.7, seed: seed + 100)
      let path = try await song.write(into: studio.folder)
      let server = try studio.startServer()
      let capture = try await studio.capture(server.address)
      let schedule = schedule(seed)
      let modes = seed % 2 == 0 ? "none" : "audio"
      let player = try studio.play(
        [path, "--background-modes", modes] + schedule.flatMap { ["--at", $0] }, server: server)
      func problem(_ text: String) -> String { "seed \(seed), modes \(modes), \(schedule): \(text)" }
      do {
        let status = try await player.ended().status
        guard status == 0 else { return problem("status \(status)") }
      } catch {
        return problem("\(error)")
      }
      let heard = Sound(try await capture.untilSilence()).withoutSilence
      if heard.frames != (try await Sound.mpg123([path])).withoutSilence.frames {
        return problem("heard \(heard.frames.count) frames")
      }
      let events = player.events
      if events.steps(of: 0).map(\.value) != song.steps { return problem("steps \(events.steps(of: 0))") }
      if !events.isQuietWhileSuspended { return problem("told while suspended: \(events.events)") }
      if events.last?.event != .finished { return problem("no end") }
      return nil
    }

    @Test func randomSchedulesEndAndLoseNoFrame() async throws {
      let count = Self.count
      try await withThrowingTaskGroup(of: String?.self) { group in
        var next: UInt64 = 0
        for _ in 0..<Self.width where next < count {
          let seed = next
          group.addTask { try await Self.play(seed) }
          next += 1
        }
        while let problem = try await group.next() {
          if let problem { Issue.record("\(problem)") }
          guard next < count else { continue }
          let seed = next
          group.addTask { try await Self.play(seed) }
          next += 1
        }
      }
    }
  }
}
