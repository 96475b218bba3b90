import Foundation
import PulseOutput
import PulseTestSupport
import Testing

extension EndToEndTests {
  /// `continuo play`, driven over its socket.
  @Suite struct PlaySocketTests {
    /// Where `play` listens unless told otherwise.
    private func defaultSocket(_ studio: Studio) -> String { "\(studio.runtimeFolder)/continuo/socket" }

    private func songs(_ durations: [Double], _ studio: Studio) async throws -> [String] {
      var paths: [String] = []
      for (index, duration) in durations.enumerated() {
        paths.append(try await Song(duration: duration, seed: UInt64(40 + index)).write(into: studio.folder))
      }
      return paths
    }

    @Test func clientsDriveWhatPlays() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let paths = try await songs([6, 0.6, 0.5], studio)
      let pulse = try studio.startServer()
      let capture = try await studio.capture(pulse.address)
      let player = try studio.play(Array(paths.prefix(2)), server: pulse)
      try await player.reached(20)
      let client = try Conversation(defaultSocket(studio))
      #expect(try await client.field("state", of: "status") == "play")
      #expect(try await client.field("playlistlength", of: "status") == "2")
      #expect(try await client.field("file", of: "currentsong") == paths[0])
      // Behind what plays already: the seam has no gap.
      #expect(try await client.ask("add \"\(paths[2])\"") == ["OK"])
      #expect(try await client.ask("pause 1") == ["OK"])
      try await player.seen("pause") { $0 == .timeControlStatus("paused", reason: nil) }
      #expect(try await client.field("state", of: "status") == "pause")
      _ = try await capture.untilSilence()
      _ = try await capture.passed(10_000)
      #expect(try await client.ask("pause 0") == ["OK"])
      #expect(try await player.ended().status == 0)
      let heard = Sound(try await capture.untilSilence()).trimmed
      expectSame(heard.withoutSilence, try await Sound.mpg123(paths).withoutSilence, "all three songs")
      #expect(heard.longestSilence.count > 8_000)
      let items = player.events.events.compactMap { event in
        if case .currentItem(let index?, _) = event { index } else { nil }
      }
      #expect(items == [0, 1, 2])
      #expect(player.events.last?.event == .finished)
      #expect(!FileManager.default.fileExists(atPath: defaultSocket(studio)))
      client.finish()
    }

    @Test func nextBehindTheLastSongIsTheEndAndStopIsNot() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let paths = try await songs([5, 5], studio)
      let player = try studio.play(paths + ["--output", "simulated"])
      try await player.reached(10)
      let client = try Conversation(defaultSocket(studio))
      #expect(try await client.ask("stop") == ["OK"])
      #expect(try await client.field("state", of: "status") == "stop")
      #expect(try await client.field("playlistlength", of: "status") == "2")
      #expect(try await client.ask("clear") == ["OK"])
      #expect(try await client.ask("add \"\(paths[0])\"") == ["OK"])
      #expect(try await client.ask("play") == ["OK"])
      try await client.comes("state: play", in: "status")
      #expect(!player.events.events.contains(.finished))
      client.send("next")
      #expect(try await player.ended().status == 0)
      #expect(player.events.last?.event == .finished)
      client.finish()
    }

    @Test func aClientEndsTheApplicationAndLaunchesItAgain() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let paths = try await songs([6], studio)
      let player = try studio.play(paths + ["--output", "simulated"])
      try await player.reached(30)
      let client = try Conversation(defaultSocket(studio))
      #expect(try await client.ask("terminate") == ["OK"])
      #expect(try await client.field("application", of: "lifecycle") == "notRunning")
      #expect(try await client.ask("next") == ["ACK [55@0] {next} the application is not running"])
      #expect(try await client.ask("launch") == ["OK"])
      #expect(try await player.ended().status == 0)
      let steps = player.events.steps(of: 0).map(\.value)
      #expect(steps.last == 599)
      // Every hundredth, those around the termination perhaps twice.
      #expect(Set(steps) == Set(0...599))
      client.finish()
    }

    @Test func aSocketInUseIsLeftAlone() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let paths = try await songs([4, 0.3], studio)
      // Long enough for two others; it is ended by a signal.
      let first = try studio.play(Array(repeating: paths[0], count: 20) + ["--output", "simulated"])
      try await first.reached(10)
      let path = defaultSocket(studio)
      // Not asked for: it plays without one.
      let second = try studio.play([paths[1], "--output", "simulated"])
      #expect(try await second.ended().status == 0)
      let told = try #require(second.log.value.errors.first)
      #expect(told.hasPrefix("continuo: another player answers at \(path), and this one plays beside it"))
      #expect(told.contains("continuo add") && second.log.value.errors.count == 1)
      // Asked for: it does not play.
      let third = try studio.play([paths[1], "--output", "simulated", "--socket", path])
      #expect(try await third.ended().status == 73)
      #expect(third.log.value.errors == ["continuo: already running: a server answers at \(path)"])
      #expect(third.events.events.isEmpty)
      // The first one's is still there, for whoever owns it.
      let client = try Conversation(path)
      #expect(try await client.field("state", of: "status") == "play")
      client.finish()
      #expect(try await first.ended(by: SIGTERM).end.status == 128 + SIGTERM)
      #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func aSocketElsewhereOrNone() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let paths = try await songs([4], studio)
      let named = try studio.play(paths + ["--output", "simulated", "--socket", studio.socketPath])
      let silent = try studio.play(paths + ["--output", "simulated", "--no-socket"])
      try await named.reached(10)
      try await silent.reached(40)
      #expect(!FileManager.default.fileExists(atPath: defaultSocket(studio)))
      let client = try Conversation(studio.socketPath)
      let mode = try FileManager.default.attributesOfItem(atPath: studio.socketPath)[.posixPermissions]
      #expect((mode as? NSNumber)?.intValue == 0o600)
      // A dead one is replaced.
      named.kill()
      _ = try await named.ended()
      client.finish()
      let next = try studio.play(paths + ["--output", "simulated", "--socket", studio.socketPath])
      try await next.reached(10)
      let other = try Conversation(studio.socketPath)
      #expect(try await other.field("state", of: "status") == "play")
      other.finish()
      for player in [next, silent] { _ = try await player.ended(by: SIGINT) }
      #expect(!FileManager.default.fileExists(atPath: studio.socketPath))
    }
  }
}
