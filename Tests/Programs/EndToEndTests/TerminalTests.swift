import Clocks
import Foundation
import PulseOutput
import PulseTestSupport
import Testing

extension EndToEndTests {
  /// On a terminal: keys, the status line, the settings afterwards.
  @Suite struct TerminalTests {
    @Test func keysWork() async throws {
      let studio = try Studio()
      defer { studio.close() }
      var paths: [String] = []
      for seed in 1...3 {
        paths.append(try await Song(duration: 40, bitRate: 64, seed: UInt64(seed)).write(into: studio.folder))
      }
      let server = try studio.startServer()
      let terminal = try PseudoTerminal(columns: 100)
      let before = terminal.localFlags
      #expect(before & tcflag_t(ICANON | ECHO) == tcflag_t(ICANON | ECHO))
      let player = try studio.play(paths, server: server, terminal: terminal)
      try await terminal.shows("playing")
      #expect(terminal.localFlags & tcflag_t(ICANON | ECHO) == 0)
      try await player.reached(20)
      try await terminal.shows("0.21")
      try await terminal.shows(" / 40.00")

      terminal.type(" ")
      try await player.seen("pause") { $0 == .timeControlStatus("paused", reason: nil) }
      try await terminal.shows("paused")
      let paused = terminal.output.utf8.count
      terminal.type(" ")
      try await terminal.shows("playing", from: paused)
      terminal.type("n")
      try await player.seen("the next song") { if case .currentItem(1, _) = $0 { true } else { false } }
      terminal.type("h")
      try await player.seen("background") { $0 == .applicationState("background") }
      try await terminal.shows("playing in the background")
      let home = terminal.output.utf8.count
      terminal.type("f")
      try await terminal.shows("playing", from: home)
      try await player.reached(10, of: 1)
      // The arrow in pieces, as a slow line sends it.
      terminal.type("\u{1B}")
      terminal.type("[D")
      terminal.type("p")
      _ = try await player.log.wait(for: "the first song again") {
        $0.events.withoutTime.count { if case .currentItem(0, _) = $0 { true } else { false } } == 2
      }
      terminal.type("m")
      try await terminal.shows("muted")
      terminal.type("q")
      #expect(try await player.ended().status == 0)
      #expect(terminal.localFlags == before)
      // The shell's prompt comes on a line of its own, and nothing but status lines was there. What was written last
      // may be read after the end.
      try await terminal.shows("\n")
      #expect(terminal.output.utf8.last == UInt8(ascii: "\n"))
      #expect(terminal.output.utf8.count { $0 == UInt8(ascii: "\n") } == 1)
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP]) func settingsComeBackAfterASignal(signal: Int32) async throws
    {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 30, bitRate: 64).write(into: studio.folder)
      let terminal = try PseudoTerminal()
      let before = terminal.localFlags
      let player = try studio.play([path, "--null-sink"], terminal: terminal)
      try await player.reached(20)
      #expect(terminal.localFlags != before)
      if signal == SIGINT {
        // As a person does it.
        terminal.type("\u{3}")
        #expect(try await player.ended().status == 128 + SIGINT)
      } else {
        let ending = try await player.ended(by: signal)
        #expect(ending.end.status == 128 + signal)
      }
      #expect(terminal.localFlags == before)
      try await studio.becomesClean()
    }

    @Test func quitKeyRestoresTheTerminalAndRemovesTheSocket() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 30, bitRate: 64).write(into: studio.folder)
      let terminal = try PseudoTerminal()
      let before = terminal.localFlags
      let player = try studio.play(
        [path, "--output", "simulated", "--socket", studio.socketPath], terminal: terminal)
      try await player.reached(20)
      #expect(terminal.localFlags != before)
      terminal.type("\u{1C}")
      #expect(try await player.ended().status == 128 + SIGQUIT)
      #expect(terminal.localFlags == before)
      #expect(!FileManager.default.fileExists(atPath: studio.socketPath))
    }

    /// What a person does in a shell: &, fg, Ctrl-Z, bg, fg, a key.
    @Test func shellMovesItBetweenBackgroundAndForeground() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 60, bitRate: 64).write(into: studio.folder)
      let terminal = try PseudoTerminal(columns: 100)
      let events = "\(studio.folder)/events.jsonl"
      let shell = try Child(
        ["bash", "--norc", "--noediting", "-i"], environment: studio.environment,
        streams: .terminal(path: terminal.path))
      defer { shell.signal(SIGKILL) }
      func command(_ text: String) -> Int {
        let place = terminal.output.utf8.count
        terminal.type(text + "\n")
        return place
      }
      _ = command("PS1='@ '; echo rea''dy")
      try await terminal.shows("ready")

      var place = command(
        "\(product("continuo")) play --output simulated --no-socket --events \(events) \(path) &")
      func steps() -> Int {
        ((try? String(contentsOfFile: events, encoding: .utf8)) ?? "").components(separatedBy: "\"time\"")
          .count
      }
      func plays(_ what: String) async throws {
        let before = steps()
        let start = SystemClock.shared.now
        while steps() < before + 20 {
          guard SystemClock.shared.now.seconds(since: start) < 120 else {
            throw Failure("\(what): it does not play: \(terminal.output)")
          }
          // A file tells nobody that it grows.
          try await Task.sleep(for: .milliseconds(20))
        }
      }
      try await plays("in the background")
      place = command("jobs; stty -a; echo do''ne")
      var shown = try await terminal.shows("done", from: place)
      shown = String(decoding: shown.utf8.dropFirst(place), as: UTF8.self)
      #expect(shown.contains("Running"))
      #expect(shown.contains(" icanon") && shown.contains(" echo "))
      #expect(!shown.contains("/ 1:00.00"))

      // The shell tells nothing to a job that runs.
      place = command("fg")
      try await terminal.shows("/ 1:00.00", from: place)
      terminal.type(" ")
      try await terminal.shows("paused", from: place)
      place = terminal.output.utf8.count
      terminal.type(" ")
      try await terminal.shows("playing", from: place)

      place = terminal.output.utf8.count
      terminal.type("\u{1A}")
      try await terminal.shows("Stopped", from: place)
      place = command("stty -a; echo do''ne")
      shown = try await terminal.shows("done", from: place)
      shown = String(decoding: shown.utf8.dropFirst(place), as: UTF8.self)
      #expect(shown.contains(" icanon") && shown.contains(" echo "))
      let stopped = steps()

      _ = command("bg")
      try await plays("after bg")
      #expect(steps() > stopped)
      place = command("stty -a; echo do''ne")
      shown = try await terminal.shows("done", from: place)
      shown = String(decoding: shown.utf8.dropFirst(place), as: UTF8.self)
      #expect(shown.contains(" icanon") && !shown.contains("/ 1:00.00"))

      place = command("fg")
      try await terminal.shows("/ 1:00.00", from: place)
      place = terminal.output.utf8.count
      terminal.type("\u{1A}")
      try await terminal.shows("Stopped", from: place)
      place = command("fg")
      try await terminal.shows("/ 1:00.00", from: place)
      place = terminal.output.utf8.count
      terminal.type("q")
      // The shell has the keys again.
      try await terminal.shows("\n@ ", from: place)
      place = command("echo status $? en''ded")
      try await terminal.shows("status 0 ended", from: place)
      _ = command("exit")
      _ = try await shell.ended()
    }

    /// Somebody holds the output with Control-S: nothing is drawn, and the player goes on.
    @Test func aTerminalThatIsHeldHoldsNothingUp() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 20, bitRate: 64, seed: 8).write(into: studio.folder)
      let drawing = "\(studio.folder)/run.svg"
      let terminal = try PseudoTerminal()
      let player = try studio.play(
        [
          path, "--output", "simulated", "--timeline", drawing, "--background-modes", "none", "--at",
          "1.5:home",
          "--at", "4.5:foreground",
        ], terminal: terminal)
      try await player.reached(20)
      terminal.type("\u{13}")
      try await player.seen("suspension") { $0 == .applicationState("suspended") }
      try await player.seen("the front again") { $0 == .applicationState("active") }
      try await player.reached(200)
      // What waited is not drawn: only the newest.
      let place = terminal.output.utf8.count
      terminal.type("\u{11}")
      try await terminal.shows(" / 20.00", from: place)
      terminal.type("q")
      #expect(try await player.ended().status == 0)
      let text = try String(contentsOfFile: drawing, encoding: .utf8)
      #expect(text.contains("suspended, ") && !text.contains("0x8badf00d"))
      let shown = String(decoding: terminal.output.utf8.dropFirst(place), as: UTF8.self)
      #expect(!shown.contains("1.2"))
    }

    @Test func stoppedByKeyAndContinued() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let song = Song(duration: 1.2, seed: 4)
      let path = try await song.write(into: studio.folder)
      let terminal = try PseudoTerminal()
      let server = try studio.startServer()
      let player = try studio.play([path], server: server, terminal: terminal)
      try await player.reached(20)
      // A stopped process is a long stall; afterwards everything goes on, with each step once.
      player.child.signal(SIGSTOP)
      try await Task.sleep(for: .milliseconds(600))
      player.child.signal(SIGCONT)
      #expect(try await player.ended().status == 0)
      #expect(player.events.steps(of: 0).map(\.value) == song.steps)
    }
  }
}
