import Foundation
import PulseTestSupport
import TestSupport
import Testing

extension ClientTests {
  /// ncmpcpp in a terminal that nobody sees.
  @Suite struct NcmpcppTests {
    private func withNcmpcpp(
      _ songs: [String],
      _ body: (Window, _ control: ControlConnection, _ proxy: CountingProxy) async throws -> Void
    ) async throws {
      let hall = try await Hall()
      defer { hall.close() }
      let socket = try await hall.startContinuo()
      let control = try ControlConnection(socket)
      for song in songs { #expect(try control.ask("add \(song)") == ["OK"]) }
      _ = try control.untilTagged()
      let proxy = try CountingProxy(at: "\(hall.folder)/proxy", to: socket)
      defer { proxy.stop() }
      let terminal = try await Window(hall, ["ncmpcpp"], environment: ["MPD_HOST": proxy.path])
      do {
        try await body(terminal, control, proxy)
      } catch {
        await terminal.end()
        throw error
      }
      await terminal.end()
    }

    /// The most requests a second, over three seconds, that are no flood: it asks once a second while music plays.
    private static let flood = 20 * 3

    /// How many requests come in three seconds from now.
    private func requests(_ proxy: CountingProxy) async throws -> Int {
      let before = proxy.requests.value.count
      // The time is the case.
      try await Task.sleep(for: .seconds(3))
      return proxy.requests.value.count - before
    }

    @Test func screensOpenWithoutAFlood() async throws {
      try await withNcmpcpp(["a.mp3", "b.mp3", "sub"]) { terminal, control, proxy in
        try await terminal.shows("Playlist (3 items", "Song A", "Song B", "c.mp3", "0:40")
        #expect(try control.ask("play 0") == ["OK"])
        for (key, title) in [
          ("2", "Browse"), ("3", "Search engine"), ("4", "Media library"), ("5", "Playlist editor"),
          ("6", "Tag editor"), ("7", "Outputs"), ("@", "MPD server info"), ("1", "Playlist (3 items"),
        ] {
          try await terminal.press(key)
          try await terminal.shows(title)
          let count = try await requests(proxy)
          #expect(count <= Self.flood, "\(title): \(proxy.requests.value.suffix(20))")
        }
        print("ncmpcpp: \(proxy.requests.value.count) requests for eight screens")
      }
    }

    @Test func keysDoWhatTheySay() async throws {
      try await withNcmpcpp(["a.mp3", "b.mp3", "sub"]) { terminal, control, proxy in
        func state(_ lines: String...) async throws { try await control.untilStatus(has: lines) }
        func queue(_ files: String...) throws {
          while try control.ask("playlist") != files.enumerated().map({ "\($0):file: \($1)" }) + ["OK"] {
            _ = try control.ask("idle playlist")
          }
        }
        try await terminal.shows("Song A", "Song B", "c.mp3")
        try await terminal.press("Home", "Enter")
        try await state("state: play", "song: 0")
        try await terminal.shows("Playing")
        try await terminal.press(">")
        try await state("state: play", "song: 1")
        try await terminal.press("<")
        try await state("state: play", "song: 0")
        try await terminal.press("p")
        try await state("state: pause", "song: 0")
        try await terminal.shows("Paused")
        // Its own seeking is a second a key.
        try await terminal.press("f", "f", "f")
        var elapsed = 0.0
        while elapsed < 1 {
          let line = try control.ask("status").first { $0.hasPrefix("elapsed: ") }
          elapsed = Double(line?.dropFirst("elapsed: ".count) ?? "") ?? 0
          if elapsed < 1 { _ = try control.ask("idle player") }
        }
        try await terminal.press("p")
        try await state("state: play")
        try await terminal.press("+")
        try await terminal.press("-")
        try await state("volume: 98")
        try await terminal.shows("Volume: 98%")
        try await terminal.press("r")
        try await state("repeat: 1")
        // It inverts the mode that it knows.
        try await terminal.shows("Repeat mode is on")
        try await terminal.press("r")
        try await state("repeat: 0")
        // The selected song down by one, up again, and away.
        try await terminal.press("Home", "n")
        try queue("b.mp3", "a.mp3", "sub/c.mp3")
        try await terminal.press("m")
        try queue("a.mp3", "b.mp3", "sub/c.mp3")
        try await terminal.press("Delete")
        try queue("b.mp3", "sub/c.mp3")
        try await state("song: 0", "state: play")
        // From the browser: [sub], a, b.
        try await terminal.press("2")
        try await terminal.shows("Browse", "[sub]", "Artist A - Song A")
        try await terminal.press("Home", "Down", "Space")
        try queue("b.mp3", "sub/c.mp3", "a.mp3")
        try await terminal.press("s")
        try await state("state: stop")
        #expect(proxy.requests.value.count < 500)
        try await terminal.press("1", "q")
        let deadline = ContinuousClock.now + .seconds(120)
        while try await terminal.screen().contains("Playlist") {
          guard ContinuousClock.now < deadline else { throw Failure("ncmpcpp does not end") }
          try await Task.sleep(for: .milliseconds(50))
        }
        #expect(try control.ask("ping") == ["OK"])
      }
    }
  }
}
