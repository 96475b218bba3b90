import Clocks
import Foundation
import PulseOutput
import PulseTestSupport
import Testing

extension EndToEndTests {
  /// Signals and closed pipes: it ends at once, and leaves nothing behind.
  @Suite struct EndingTests {
    /// What the player is doing when the signal comes.
    enum Phase: String, CaseIterable { case startingServer, playing, paused, suspended, waitingForServer }

    @Test(arguments: Phase.allCases, [SIGINT, SIGTERM])
    func endsAndLeavesNothing(phase: Phase, signal: Int32) async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 30, bitRate: 64).write(into: studio.folder)
      let player: Player
      switch phase {
      case .startingServer:
        // A server that starts and never answers.
        let folder = "\(studio.folder)/bin"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try await write(program: "sleep 60\n", to: "\(folder)/pulseaudio")
        let search = "\(studio.folder)/bin:\(studio.environment["PATH"] ?? "/usr/bin:/bin")"
        player = try studio.play([path, "--null-sink"], environment: ["PATH": search])
        let start = SystemClock.shared.now
        while !studio.leftovers().contains(where: { $0.contains("sleep") }) {
          guard SystemClock.shared.now.seconds(since: start) < 120 else {
            throw Failure("no server was started")
          }
          try await Task.sleep(for: .milliseconds(5))
        }
      case .playing:
        player = try studio.play([path, "--null-sink"])
        try await player.reached(20)
      case .paused:
        player = try studio.play([path, "--null-sink", "--at", "0.2:pause"])
        try await player.seen("paused") { $0 == .timeControlStatus("paused", reason: nil) }
      case .suspended:
        player = try studio.play([path, "--null-sink", "--at", "0.2:home", "--background-modes", "none"])
        try await player.seen("suspended") { $0 == .applicationState("suspended") }
      case .waitingForServer:
        let server = try studio.startServer()
        player = try studio.play([path], server: server)
        try await player.reached(20)
        server.kill(SIGKILL)
        _ = try await player.log.wait(for: "the third attempt") { $0.errors.count >= 3 }
      }
      let ending = try await player.ended(by: signal)
      #expect(ending.end.status == 128 + signal)
      // A server that was not up yet is ended by its watchdog, an instant later.
      try await studio.becomesClean()
    }

    @Test func endsEvenWhenNobodyReadsItsEvents() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 30, bitRate: 64).write(into: studio.folder)
      for signals in [1, 2] {
        let player = try studio.play([path, "--null-sink"], eventPipeBytes: 4096)
        try await player.reached(10)
        // From here on nobody reads; the pipe is full after half a second, and lines wait.
        player.pauseEvents()
        try await Task.sleep(for: .seconds(1))
        player.child.signal(SIGTERM)
        if signals == 2 {
          try await Task.sleep(for: .milliseconds(30))
          player.child.signal(SIGTERM)
        }
        #expect(try await player.child.ended().status == 128 + SIGTERM)
        player.resumeEvents()
        try await studio.becomesClean()
      }
    }

    /// The second signal comes at any moment of the end; the header names every sample all the same.
    @Test func twoSignalsLeaveAWaveFileWhole() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 60, bitRate: 64).write(into: studio.folder)
      let songs = Array(repeating: path, count: 200)
      for round in 0..<12 {
        let file = "\(studio.folder)/\(round).wav"
        let player = try studio.play(songs + ["--output", "wav:\(file)"], hasEvents: false)
        let start = SystemClock.shared.now
        while ((try? FileManager.default.attributesOfItem(atPath: file)[.size]) as? Int ?? 0) < 2_000_000 {
          guard SystemClock.shared.now.seconds(since: start) < 120 else {
            throw Failure("nothing is written")
          }
          try await Task.sleep(for: .milliseconds(1))
        }
        player.child.signal(SIGTERM)
        // The moment is the case.
        try await Task.sleep(for: .microseconds(round * 500))
        player.child.signal(SIGINT)
        let status = try await player.ended().status
        #expect([128 + SIGTERM, 128 + SIGINT].contains(status))
        let bytes = try Data(contentsOf: URL(fileURLWithPath: file), options: .alwaysMapped)
        let marker = try #require(bytes.range(of: Data("data".utf8)))
        let named = bytes[marker.upperBound..<marker.upperBound + 4].enumerated().reduce(0) {
          $0 | Int($1.element) << (8 * $1.offset)
        }
        #expect(named == bytes.count - marker.upperBound - 4, "round \(round)")
        try FileManager.default.removeItem(atPath: file)
      }
    }

    @Test func privateServerGoesWithAKilledPlayer() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 30, bitRate: 64).write(into: studio.folder)
      let player = try studio.play([path, "--null-sink", "--no-socket"])
      try await player.reached(20)
      #expect(studio.leftovers().contains { $0.contains("pulseaudio") })
      player.kill()
      _ = try await player.ended()
      try await studio.becomesClean()
    }

    @Test(arguments: [false, true]) func readerThatLeavesIsHarmless(events: Bool) async throws {
      let studio = try Studio()
      defer { studio.close() }
      let paths = [
        try await Song(duration: 0.6, seed: 1).write(into: studio.folder),
        try await Song(duration: 0.6, seed: 2).write(into: studio.folder),
      ]
      let server = try studio.startServer()
      let capture = try await studio.capture(server.address)
      let script = """
        "$0" play --server "$1" \(events ? "--events -" : "") "$2" "$3" | head -n 1
        exit "${PIPESTATUS[0]}"
        """
      let null = open("/dev/null", O_RDWR | O_CLOEXEC)
      defer { close(null) }
      let child = try Child(
        ["bash", "-c", script, product("continuo"), server.address] + paths, environment: studio.environment,
        streams: .descriptors(input: null, output: null, error: null))
      #expect(try await child.ended().status == 0)
      expectSame(Sound(try await capture.untilSilence()).trimmed, try await Sound.mpg123(paths).trimmed)
    }

    @Test func runsWithoutAnyStandardStream() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 0.4).write(into: studio.folder)
      let server = try studio.startServer()
      let capture = try await studio.capture(server.address)
      let null = open("/dev/null", O_RDWR | O_CLOEXEC)
      defer { close(null) }
      let child = try Child(
        [
          "bash", "-c", "exec \"$0\" play --server \"$1\" \"$2\" <&- >&- 2>&-", product("continuo"),
          server.address, path,
        ],
        environment: studio.environment, streams: .descriptors(input: null, output: null, error: null))
      #expect(try await child.ended().status == 0)
      expectSame(Sound(try await capture.untilSilence()).trimmed, try await Sound.mpg123([path]).trimmed)
    }
  }
}
