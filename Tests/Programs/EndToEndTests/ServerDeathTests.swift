import Clocks
import Foundation
import PulseOutput
import PulseTestSupport
import TestSupport
import Testing

extension EndToEndTests {
  /// The sound server dies.
  @Suite struct ServerDeathTests {
    @Test func goesOnWhereItWasHeardLast() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let song = Song(duration: 3, seed: 8)
      let path = try await song.write(into: studio.folder)
      let server = try studio.startServer()
      let first = try await studio.capture(server.address)
      let player = try studio.play([path], server: server)
      try await player.reached(103)
      server.kill(SIGKILL)
      let death = SystemClock.shared.now
      // The time is part of the case: no event tells when two seconds are over.
      try await Task.sleep(for: .seconds(2))
      try server.restart()
      let restart = SystemClock.shared.now
      let second = try await studio.capture(server.address)
      #expect(try await player.ended().status == 0)

      // A busy machine may put silences between its frames.
      let expected = try await Sound.mpg123([path]).withoutSilence
      let before = first.read { Sound($0) }.withoutSilence
      let after = Sound(try await second.untilSilence()).withoutSilence
      let end = try #require(before.place(in: expected)) + before.frames.count
      let start = try #require(after.place(in: expected))
      print("the first part ends at frame \(end), the second begins at \(start): \(end - start) heard twice")
      expectSame(before, expected[0..<end], "before")
      expectSame(after, expected[start..<expected.frames.count], "after")
      // A block of the sink's had begun to be heard when the server died. The capture may lack more than that: what the server
      // had not sent to it. The observer below tells that nothing was left out.
      #expect(end - start <= 3528)

      let steps = player.events.steps(of: 0)
      #expect(steps.map(\.value) == song.steps)
      // Nothing is heard between death and return; what observers saw last is where it goes on.
      let silent = steps.filter { $0.host > death.seconds + 1 && $0.host < restart.seconds }
      #expect(silent.isEmpty)
      let last = try #require(steps.last { $0.host < restart.seconds })
      #expect(abs(Double(last.value) * 441 - Double(start)) <= 3528)
      let statuses = player.events.withoutTime.compactMap { event -> String? in
        if case .timeControlStatus(let status, _) = event { status } else { nil }
      }
      #expect(
        statuses == ["waitingToPlayAtSpecifiedRate", "playing", "waitingToPlayAtSpecifiedRate", "playing"])
    }

    /// The player's own server is killed by somebody: it has another one, and nothing of the song is lost. While it is
    /// paused there is time to record the new one from its start.
    @Test(arguments: [true, false]) func privateServerIsStartedAgain(isPaused: Bool) async throws {
      let studio = try Studio()
      defer { studio.close() }
      let song = Song(duration: 4, seed: 12)
      let path = try await song.write(into: studio.folder)
      let player = try studio.play(
        [path, "--null-sink", "--socket", studio.socketPath, "--at", "0:pause"])
      try await player.seen("the first pause") { $0 == .timeControlStatus("paused", reason: nil) }
      let name = try #require(
        try FileManager.default.contentsOfDirectory(atPath: studio.runtimeFolder).first {
          $0.hasPrefix("continuo-pulse-")
        })
      let address = "unix:\(studio.runtimeFolder)/\(name)/native"
      let first = try await studio.capture(address)
      let client = try Conversation(studio.socketPath)
      #expect(try await client.ask("pause 0") == ["OK"])
      try await player.reached(80)
      if isPaused {
        #expect(try await client.ask("pause 1") == ["OK"])
        _ = try await player.log.wait(for: "the second pause") {
          $0.events.withoutTime.count { $0 == .timeControlStatus("paused", reason: nil) } == 2
        }
        _ = try await first.untilSilence()
      }
      let server = try #require(Self.server(in: "\(studio.runtimeFolder)/\(name)"))
      kill(server, SIGKILL)
      let start = SystemClock.shared.now
      // There is another, and it listens: a capture does not try twice.
      func isBack() -> Bool {
        guard Self.server(in: "\(studio.runtimeFolder)/\(name)").map({ $0 != server }) == true,
          let socket = try? connectedSocket("\(studio.runtimeFolder)/\(name)/native")
        else { return false }
        close(socket)
        return true
      }
      while !isBack() {
        guard SystemClock.shared.now.seconds(since: start) < 120 else { throw Failure("no new server") }
        try await Task.sleep(for: .milliseconds(2))
      }
      // A busy machine may put silences between its frames.
      let expected = try await Sound.mpg123([path]).withoutSilence
      let before = first.read { Sound($0) }.withoutSilence
      if isPaused {
        let second = try await studio.capture(address)
        #expect(try await client.ask("pause 0") == ["OK"])
        #expect(try await player.ended().status == 0)
        let after = second.read { Sound($0) }.withoutSilence
        // What was heard before the first pause is not in it.
        let start = try #require(before.place(in: expected))
        let end = start + before.frames.count
        let place = try #require(after.place(in: expected))
        print("the first part ends at frame \(end), the second begins at \(place)")
        expectSame(before, expected[start..<end], "before")
        expectSame(after, expected[place..<place + after.frames.count], "after")
        #expect(abs(end - place) <= 3528)
      } else {
        #expect(try await player.ended().status == 0)
      }
      client.finish()
      #expect(player.events.steps(of: 0).map(\.value) == song.steps)
    }

    /// The PulseAudio that lives in that directory.
    private static func server(in directory: String) -> pid_t? {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
      return names.lazy.compactMap { pid_t($0) }.first { identifier in
        let line = FileManager.default.contents(atPath: "/proc/\(identifier)/cmdline") ?? Data()
        return line.starts(with: Data("pulseaudio".utf8)) && line.range(of: Data(directory.utf8)) != nil
      }
    }

    @Test func deadForGoodCostsNothing() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 2, seed: 9).write(into: studio.folder)
      let server = try studio.startServer()
      let player = try studio.play([path], server: server)
      try await player.reached(30)
      server.kill(SIGKILL)
      _ = try await player.log.wait(for: "the first complaint") { !$0.errors.isEmpty }
      _ = try await player.log.wait(for: "the last complaint") {
        $0.errors.contains { $0.hasSuffix("retry in 4.0 s") }
      }
      let delays = player.log.value.errors.compactMap { line -> Double? in
        guard let range = line.range(of: "retry in ") else { return nil }
        return Double(line[range.upperBound...].dropLast(" s".count))
      }
      #expect(delays.count == player.log.value.errors.count)
      #expect(delays == delays.sorted())
      #expect(Set(delays).count == delays.count)
      let ending = try await player.ended(by: SIGTERM)
      #expect(ending.end.status == 128 + SIGTERM)
    }

    /// In the background the application is kept for five seconds more, in case there is a server again by then.
    @Test func deadInTheBackgroundItIsSuspendedAndReturns() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let song = Song(duration: 4, seed: 10)
      let path = try await song.write(into: studio.folder)
      let server = try studio.startServer()
      let player = try studio.play(
        [path, "--at", "0.2:home", "--socket", studio.socketPath], server: server)
      try await player.reached(60)
      server.kill(SIGKILL)
      let suspension = try await player.seen("suspension") { $0 == .applicationState("suspended") }
      let death = try #require(
        player.events.host(
          of: PlayerEvent.timeControlStatus(
            "waitingToPlayAtSpecifiedRate", reason: "AVPlayerWaitingToMinimizeStallsReason")))
      #expect(suspension.host - death >= 4.5)
      try server.restart()
      let client = try Conversation(studio.socketPath)
      #expect(try await client.ask("foreground") == ["OK"])
      #expect(try await player.ended().status == 0)
      client.finish()
      #expect(player.events.steps(of: 0).map(\.value) == song.steps)
      let events = player.events
      let index = try #require(events.firstIndex { $0.event == .applicationState("suspended") })
      #expect(events[index + 1].event == .applicationState("inactive"))
    }

    @Test func namedServerThatDoesNotAnswerIsGivenUp() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 0.5).write(into: studio.folder)
      let start = SystemClock.shared.now
      let player = try studio.play([path, "--server", "unix:\(studio.folder)/nobody"])
      let end = try await player.ended()
      #expect(end.status == 69)
      let seconds = end.time.seconds(since: start)
      #expect(seconds >= 9.9)
      #expect(player.log.value.errors.last?.contains("no audio server answered within 10 s") == true)
    }

    /// The limit is for the sound server: a song that cannot be had takes as long as the network may.
    @Test func namedServerThatAnswersIsNotGivenUpForASongThatDoesNotCome() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let song = Song(duration: 0.5, seed: 31)
      let path = try await song.write(into: studio.folder)
      let server = try studio.startServer()
      let player = try studio.play(
        ["http://127.0.0.1:1/x.mp3", path, "--network-timeout", "12"], server: server)
      let end = try await player.ended()
      #expect(end.status == 1, "\(player.log.value)")
      #expect(player.events.steps(of: 1).map(\.value) == song.steps)
      #expect(!player.log.value.errors.contains { $0.contains("no audio server answered") })
    }

    @Test func sinkThatIsNotThereEndsPlayAtOnce() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 0.5).write(into: studio.folder)
      let server = try studio.startServer()
      let player = try studio.play([path, "--sink", "nosuch"], server: server)
      let end = try await player.ended()
      #expect(end.status == 69, "\(player.log.value)")
      #expect(
        player.log.value.errors == [
          "continuo: no sink \"nosuch\" on the sound server at \(server.address); its sinks: continuo"
        ])
      #expect(player.events.steps(of: 0).isEmpty)
    }

    /// A Bluetooth sink is there when its device is.
    @Test func serveWaitsForASinkThatIsNotThere() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 1, seed: 32).write(into: studio.folder)
      let server = try studio.startServer()
      let served = try await studio.serve(["--no-state", "--sink", "hall"], server: server)
      let client = try Conversation(studio.socketPath)
      _ = try await client.ask("add \"\(path)\"")
      _ = try await client.ask("play")
      let reason = "no sink \"hall\" on the sound server at \(server.address); its sinks: continuo"
      try await client.comes("error: \(reason)", in: "status")
      _ = try await served.log.wait(for: "a word that it waits") {
        $0.errors.contains("continuo: \(reason); waiting for it")
      }
      try pactl(
        server.address, "load-module", "module-null-sink", "sink_name=hall", "norewinds=1")
      try await client.comes("state: stop", in: "status")
      _ = try await served.log.wait(for: "a word that it plays") {
        $0.errors.contains("continuo: playing to hall")
      }
      client.finish()
      #expect(try await served.ended(by: SIGTERM).end.status == 128 + SIGTERM)
    }
  }
}
