import Foundation
import PulseTestSupport
import TestSupport
import Testing

extension ClientTests {
  /// MPRIS players, driven by playerctl: `serve` and `play` themselves, and mpDris2, which makes one of the control socket.
  @Suite struct MPRISTests {
    /// A session bus of its own, and playerctl on it.
    private struct Bus {
      let hall: Hall
      let environment: [String: String]

      init(_ hall: Hall) async throws {
        self.hall = hall
        let address = "unix:path=\(hall.folder)/bus"
        environment = ["DBUS_SESSION_BUS_ADDRESS": address]
        let lines = Observed([String]())
        _ = try hall.start(
          ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=\(address)", "--print-address"],
          lines: lines)
        _ = try await lines.wait(for: "the session bus") { $0.contains { $0.hasPrefix("unix:path=") } }
      }

      /// Waits until playerctl's answer is as expected, and returns it.
      @discardableResult
      func awaits(
        _ arguments: [String], expected: String, _ isExpected: (Hall.Answer) -> Bool
      ) async throws -> String {
        let deadline = ContinuousClock.now + .seconds(120)
        while true {
          let answer = try await hall.run(["playerctl"] + arguments, environment: environment)
          if isExpected(answer) { return answer.lines.first ?? "" }
          guard ContinuousClock.now < deadline else {
            throw Failure("\(arguments): \(answer) and not \(expected); \(hall.said.value.suffix(5))")
          }
          // It asks the bus, which tells nobody of a player that is not there yet.
          try await Task.sleep(for: .milliseconds(50))
        }
      }

      /// Waits until playerctl prints that of a player.
      func prints(_ expected: String, of player: String, _ arguments: String...) async throws {
        try await prints(expected, of: player, arguments)
      }

      func prints(_ expected: String, of player: String, _ arguments: [String]) async throws {
        try await awaits(["--player=\(player)"] + arguments, expected: expected) {
          $0.status == 0 && $0.text == expected + "\n"
        }
      }

      func does(_ player: String, _ arguments: String...) async throws { try await does(player, arguments) }

      func does(_ player: String, _ arguments: [String]) async throws {
        let answer = try await hall.run(
          ["playerctl", "--player=\(player)"] + arguments, environment: environment)
        #expect(answer.status == 0, "\(arguments): \(answer)")
      }
    }

    @Test func playerctlDrivesServe() async throws {
      let hall = try await Hall()
      defer { hall.close() }
      let bus = try await Bus(hall)
      // A picture in the folder, and one in a song. Nobody decodes them.
      let picture = try #require(Data(base64Encoded: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1Pe"))
      try picture.write(to: URL(fileURLWithPath: "\(hall.music)/cover.png"))
      try (picture + Data([7])).write(to: URL(fileURLWithPath: "\(hall.folder)/own.png"))
      try await hall.write("d.mp3", tone: 700, ["--tt", "Song D", "--ti", "\(hall.folder)/own.png"])
      let socket = try await hall.startContinuo(environment: bus.environment)
      let control = try ControlConnection(socket)
      for song in ["a.mp3", "b.mp3"] { #expect(try control.ask("add \(song)") == ["OK"]) }
      _ = try control.untilTagged()

      func prints(_ expected: String, _ arguments: String...) async throws {
        try await bus.prints(expected, of: "continuo", arguments)
      }
      func does(_ arguments: String...) async throws { try await bus.does("continuo", arguments) }

      try await prints("Stopped", "status")
      try await does("play")
      try await prints("Playing", "status")
      try await prints("Song A", "metadata", "title")
      try await prints("Artist A", "metadata", "artist")
      try await prints("Album X", "metadata", "album")
      try await prints("1", "metadata", "xesam:trackNumber")
      // The decoder's duration, in microseconds.
      try await bus.awaits(["--player=continuo", "metadata", "mpris:length"], expected: "40 s") {
        Double($0.text.dropLast()).map { ($0 / 1e6).rounded() } == Double(Hall.songLength)
      }
      try await prints("file://\(hall.music)/a.mp3", "metadata", "xesam:url")
      try await prints("file://\(hall.music)/cover.png", "metadata", "mpris:artUrl")
      try await does("play-pause")
      try await prints("Paused", "status")
      #expect(try control.ask("status").contains("state: pause"))
      try await does("position", "10")
      try await prints("10.000000", "position")
      #expect(try control.ask("status").contains("elapsed: 10.000"))
      try await does("position", "5+")
      try await prints("15.000000", "position")
      try await does("position", "10-")
      try await prints("5.000000", "position")
      try await does("play")
      try await prints("Playing", "status")
      try await does("next")
      try await prints("Song B", "metadata", "title")
      try await does("previous")
      try await prints("Song A", "metadata", "title")
      try await does("volume", "0.4")
      try await prints("0.400000", "volume")
      #expect(try control.ask("getvol") == ["volume: 40", "OK"])
      for (loop, lines) in [
        ("Track", ["repeat: 1", "single: 1"]), ("Playlist", ["repeat: 1", "single: 0"]),
        ("None", ["repeat: 0", "single: 0"]),
      ] {
        try await does("loop", loop)
        try await prints(loop, "loop")
        #expect(Set(try control.ask("status")).isSuperset(of: lines))
      }
      try await does("shuffle", "On")
      try await prints("On", "shuffle")
      #expect(try control.ask("status").contains("random: 1"))
      // What others do arrives as well: a mode, a volume, a song, a call.
      #expect(try control.ask("random 0") == ["OK"])
      try await prints("Off", "shuffle")
      #expect(try control.ask("setvol 70") == ["OK"])
      try await prints("0.700000", "volume")
      #expect(try control.ask("play 1") == ["OK"])
      try await prints("Song B", "metadata", "title")
      #expect(try control.ask("interrupt begin") == ["OK"])
      try await prints("Paused", "status")
      #expect(try control.ask("interrupt end") == ["OK"])
      try await prints("Playing", "status")
      // A song by its URL, with a picture of its own.
      try await does("open", "file://\(hall.music)/d.mp3")
      try await prints("Song D", "metadata", "title")
      let art = try await bus.awaits(["--player=continuo", "metadata", "mpris:artUrl"], expected: "a file") {
        $0.text.contains("continuo-artwork")
      }
      let file = try #require(URL(string: art))
      #expect(try Data(contentsOf: file) == picture + Data([7]))
      let refused = try await hall.run(
        ["dbus-send", "--session", "--print-reply", "--dest=org.mpris.MediaPlayer2.continuo"]
          + [
            "/org/mpris/MediaPlayer2", "org.mpris.MediaPlayer2.Player.OpenUri", "string:file:///nonexist.mp3",
          ],
        environment: bus.environment)
      #expect(refused.status != 0, "\(refused)")
      try await does("stop")
      try await prints("Stopped", "status")
      // A player ends with its process, and so do its files.
      let server = try #require(hall.server)
      server.signal(SIGTERM)
      #expect(try await server.ended().status == 128 + SIGTERM)
      #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test func playersBesideEachOtherHaveNames() async throws {
      let hall = try await Hall()
      defer { hall.close() }
      let bus = try await Bus(hall)
      _ = try await hall.startContinuo(environment: bus.environment)
      try await bus.prints("Stopped", of: "continuo", "status")
      let play = try hall.start(
        [product("continuo"), "play", "--no-socket", "--output", "simulated", "\(hall.music)/b.mp3"],
        environment: bus.environment)
      let second = "continuo.instance\(play.identifier)"
      try await bus.prints("Playing", of: second, "status")
      // Without a socket the tags come too.
      try await bus.prints("Artist B", of: second, "metadata", "artist")
      try await bus.does(second, "pause")
      try await bus.prints("Paused", of: second, "status")
      try await bus.prints("Stopped", of: "continuo", "status")
      let list = try await hall.run(["playerctl", "--list-all"], environment: bus.environment)
      #expect(Set(list.lines) == ["continuo", second])
      // The last song has no next one: the end of the queue is the end of `play`.
      try await bus.does(second, "play")
      try await bus.prints("Playing", of: second, "status")
      try await bus.does(second, "position", "60+")
      #expect(try await play.ended().status == 0)
    }

    @Test func busCanBeTurnedOff() async throws {
      let hall = try await Hall()
      defer { hall.close() }
      let bus = try await Bus(hall)
      let socket = try await hall.startContinuo(environment: ["DBUS_SESSION_BUS_ADDRESS": "disabled:"])
      let play = try hall.start(
        [product("continuo"), "play", "--no-socket", "--output", "wav:/dev/null", "\(hall.music)/b.mp3"],
        environment: bus.environment)
      #expect(try await play.ended().status == 0)
      #expect(try ControlConnection(socket).ask("ping") == ["OK"])
      // Of the connections of the server's own, none leads to a bus: playerctl finds no player.
      let list = try await hall.run(["playerctl", "--list-all"], environment: bus.environment)
      #expect(list.text.contains("No players found") || list.text.isEmpty, "\(list)")
    }

    @Test func playerctlDrivesItThroughMPDris2() async throws {
      let hall = try await Hall()
      defer { hall.close() }
      let socket = try await hall.startContinuo()
      let control = try ControlConnection(socket)
      for song in ["a.mp3", "b.mp3", "sub"] { #expect(try control.ask("add \(song)") == ["OK"]) }
      _ = try control.untilTagged()

      let bus = try await Bus(hall)
      let settings = "\(hall.folder)/home/.config/mpDris2"
      try FileManager.default.createDirectory(atPath: settings, withIntermediateDirectories: true)
      try Data("[Bling]\nnotify = False\nmmkeys = False\n".utf8).write(
        to: URL(fileURLWithPath: "\(settings)/mpDris2.conf"))
      let log = Observed([String]())
      let bridge = try hall.start(
        ["mpDris2", "--host=\(socket)", "--music-dir=\(hall.music)"], environment: bus.environment, lines: log
      )

      try await bus.prints("Stopped", of: "mpd", "status")
      try await bus.does("mpd", "play")
      try await bus.prints("Playing", of: "mpd", "status")
      try await bus.prints("Song A", of: "mpd", "metadata", "title")
      try await bus.prints("40000000", of: "mpd", "metadata", "mpris:length")
      try await bus.prints("file://\(hall.music)/a.mp3", of: "mpd", "metadata", "xesam:url")
      try await bus.does("mpd", "play-pause")
      try await bus.prints("Paused", of: "mpd", "status")
      try await bus.does("mpd", "position", "10")
      try await bus.prints("10.000000", of: "mpd", "position")
      try await bus.does("mpd", "play-pause")
      try await bus.prints("Playing", of: "mpd", "status")
      try await bus.does("mpd", "next")
      try await bus.prints("Song B", of: "mpd", "metadata", "title")
      try await bus.does("mpd", "volume", "0.4")
      try await bus.prints("0.400000", of: "mpd", "volume")
      #expect(try control.ask("getvol") == ["volume: 40", "OK"])
      try await bus.does("mpd", "loop", "Track")
      try await bus.prints("Track", of: "mpd", "loop")
      try await bus.does("mpd", "shuffle", "On")
      try await bus.prints("On", of: "mpd", "shuffle")
      #expect(try control.ask("interrupt begin") == ["OK"])
      try await bus.prints("Paused", of: "mpd", "status")
      #expect(try control.ask("interrupt end") == ["OK"])
      try await bus.prints("Playing", of: "mpd", "status")
      try await bus.does("mpd", "stop")
      try await bus.prints("Stopped", of: "mpd", "status")
      #expect(bridge.end == nil, "\(log.value)")
    }
  }
}
