import Foundation
import PulseTestSupport
import TestSupport
import Testing

extension ClientTests {
  /// Clients that do one thing each, or that others are made of.
  @Suite struct SmallClientTests {
    @Test func aProgramInC() async throws {
      let hall = try await Hall()
      defer { hall.close() }
      let socket = try await hall.startContinuo()
      let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Programs/libmpdclient.c").path
      let program = "\(hall.folder)/client"
      let compiled = try await hall.run(["cc", "-Wall", "-Werror", "-o", program, source, "-lmpdclient"])
      try #require(compiled.status == 0, "\(compiled)")
      let answer = try await hall.run([program, socket])
      #expect(answer.status == 0 && answer.text == "all is well\n", "\(answer)")
    }

    @Test func ncmpcShowsAndPlays() async throws {
      let hall = try await Hall()
      defer { hall.close() }
      let socket = try await hall.startContinuo()
      let control = try ControlConnection(socket)
      for song in ["a.mp3", "b.mp3"] { #expect(try control.ask("add \(song)") == ["OK"]) }
      _ = try control.untilTagged()
      let window = try await Window(hall, ["ncmpc"], environment: ["MPD_HOST": socket])
      do {
        try await window.shows("Song A", "Song B")
        try await window.press("Down", "Enter")
        try await window.shows("Playing", "0:40")
        try await control.untilStatus(has: ["state: play", "song: 1"])
        try await window.press("3")
        try await window.shows("sub")
        try await window.press("q")
      } catch {
        await window.end()
        throw error
      }
      await window.end()
    }

    /// It tells of a song once half of it was heard.
    @Test func mpdscribbleTellsOfASong() async throws {
      let hall = try await Hall()
      defer { hall.close() }
      let socket = try await hall.startContinuo()
      let control = try ControlConnection(socket)
      #expect(try control.ask("add a.mp3") == ["OK"])
      _ = try control.untilTagged()
      let file = "\(hall.folder)/heard"
      let settings = "\(hall.folder)/mpdscribble.conf"
      try Data("verbose = 2\n[file]\nfile = \(file)\n".utf8).write(to: URL(fileURLWithPath: settings))
      let log = Observed([String]())
      _ = try hall.start(
        ["mpdscribble", "--no-daemon", "--conf", settings, "--log", "-", "--host", socket], lines: log)
      _ = try await log.wait(for: "its connection") { $0.contains { $0.contains("connected to mpd") } }
      #expect(try control.ask("play 0") == ["OK"])
      _ = try await log.wait(for: "the song") { $0.contains { $0.contains("Artist A - Song A") } }
      // The time is the case: half of the song's.
      try await Task.sleep(for: .seconds(Hall.songLength / 2 + 1))
      #expect(try control.ask("stop") == ["OK"])
      let deadline = ContinuousClock.now + .seconds(120)
      while true {
        let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        if text.contains("Artist A - Song A") { break }
        guard ContinuousClock.now < deadline else { throw Failure("\(text); \(log.value)") }
        try await Task.sleep(for: .milliseconds(50))
      }
    }

    /// It puts songs of its own choice behind the one that plays.
    @Test func mpdSimaFillsTheQueue() async throws {
      let hall = try await Hall()
      defer { hall.close() }
      let socket = try await hall.startContinuo()
      let control = try ControlConnection(socket)
      #expect(try control.ask("add a.mp3") == ["OK"])
      #expect(try control.ask("play") == ["OK"])
      let settings = "\(hall.folder)/sima.cfg"
      let text = """
        [MPD]
        host = \(socket)
        [sima]
        internal = Random
        queue_length = 2
        [random]
        track_to_add = 1
        flavour = pure
        """
      try Data(text.utf8).write(to: URL(fileURLWithPath: settings))
      let log = Observed([String]())
      _ = try hall.start(["mpd-sima", "--config", settings, "--var-dir", "\(hall.folder)/home"], lines: log)
      let deadline = ContinuousClock.now + .seconds(120)
      while try control.ask("playlist").count < 3 + 1 {
        guard ContinuousClock.now < deadline else { throw Failure("\(log.value)") }
        try await Task.sleep(for: .milliseconds(50))
      }
    }
  }
}
