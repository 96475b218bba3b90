import Foundation
import PulseTestSupport
import Testing

extension EndToEndTests {
  /// What is drawn on a terminal, byte by byte.
  @Suite struct StatusLineTests {
    /// A player of two songs on a terminal of its own, which ends by `q`.
    private func played(
      _ environment: [String: String] = [:], _ body: (PseudoTerminal, Player) async throws -> Void
    ) async throws -> String {
      let studio = try Studio()
      defer { studio.close() }
      var paths: [String] = []
      for seed in 1...2 {
        paths.append(try await Song(duration: 20, bitRate: 64, seed: UInt64(seed)).write(into: studio.folder))
      }
      let terminal = try PseudoTerminal()
      let player = try studio.play(
        paths + ["--output", "simulated", "--no-socket"], environment: environment, terminal: terminal)
      try await player.reached(20)
      try await body(terminal, player)
      terminal.type("q")
      #expect(try await player.ended().status == 0)
      return terminal.output
    }

    @Test func onlyWhatChangesIsDrawn() async throws {
      _ = try await played { terminal, player in
        try await player.reached(50)
        let before = terminal.output
        try await player.reached(250)
        let drawn = terminal.output.dropFirst(before.count)
        let drawings = drawn.components(separatedBy: "\u{1B}[?7h").count
        #expect((5...400).contains(drawings), "\(drawings) in 2 s")
        // A whole line has more than 100.
        #expect(drawn.utf8.count < 60 * drawings, "\(drawn.utf8.count) bytes in \(drawings) drawings")
      }
    }

    @Test func aDumbTerminalGetsLines() async throws {
      let output = try await played(["TERM": "dumb"]) { terminal, player in
        terminal.type("n")
        try await terminal.shows("2/2")
        terminal.type("?")
        try await terminal.shows("next")
        try await player.reached(20, of: 1)
      }
      #expect(output.contains("1/2"))
      // The terminal itself makes CR LF of LF.
      let text = output.replacingOccurrences(of: "\r\n", with: "\n")
      #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" }, "\(text)")
    }

    @Test func coloursAreLeftOutWhereNobodyWantsThem() async throws {
      func sequences(_ environment: [String: String]) async throws -> Set<String> {
        let output = try await played(environment) { terminal, _ in try await terminal.shows("╸") }
        return Set(output.matches(of: /\u{1B}\[[0-9;]*m/).map { String($0.output) })
      }
      #expect(try await sequences([:]).contains("\u{1B}[36m"))
      #expect(try await sequences(["NO_COLOR": ""]).contains("\u{1B}[36m"))
      #expect(try await sequences(["NO_COLOR": "1"]).isEmpty)
      #expect(try await sequences(["TERM": "vt100"]).isEmpty)
    }

    @Test func keysAreAnswered() async throws {
      _ = try await played { terminal, player in
        try await terminal.shows("1/2")
        terminal.type("\u{1B}[B")
        try await terminal.shows("volume 95 %")
        // It gives way to what the player does.
        var place = terminal.output.utf8.count
        try await terminal.shows("playing", from: place)
        terminal.type(" ")
        try await terminal.shows("paused", from: place)
        place = terminal.output.utf8.count
        terminal.type("\u{1B}[A")
        try await terminal.shows("volume 100 %", from: place)
        try await terminal.shows("paused", from: place)
        terminal.type("?")
        try await terminal.shows("home button", from: place)
        terminal.type("n")
        try await terminal.shows("2/2", from: place)
      }
    }

    /// A paused player draws nothing by itself.
    @Test func anotherWidthIsSeenAtOnce() async throws {
      _ = try await played { terminal, player in
        terminal.type(" ")
        try await terminal.shows("paused")
        let place = terminal.output.utf8.count
        terminal.resize(columns: 40)
        try await terminal.shows("paused", from: place)
      }
    }

    @Test func elsewhereSuspensionAndInterruptionAreALineEach() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 5, seed: 3).write(into: studio.folder)
      let player = try studio.play([
        path, "--output", "simulated", "--no-socket", "--background-modes", "none", "--at", "0.3:home",
        "--at",
        "3.3:foreground", "--at", "4:interrupt begin", "--at", "5:interrupt end",
      ])
      #expect(try await player.ended().status == 0)
      let words = player.log.value.output.dropFirst().map { $0.prefix { $0 != ":" } }
      #expect(words == ["Suspended", "Resumed", "Interrupted", "Interruption over"], "\(player.log.value)")
    }
  }
}
