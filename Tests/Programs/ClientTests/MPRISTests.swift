import Foundation
import PulseTestSupport
import TestSupport
import Testing

extension ClientTests {
  /// mpDris2, which makes an MPRIS player of the control socket, and playerctl, which drives such.
  @Suite struct MPRISTests {
    @Test func playerctlDrivesItThroughMPDris2() async throws {
      let hall = try await Hall()
      defer { hall.close() }
      let socket = try await hall.startContinuo()
      let control = try ControlConnection(socket)
      for song in ["a.mp3", "b.mp3", "sub"] { #expect(try control.ask("add \(song)") == ["OK"]) }
      _ = try control.untilTagged()

      // A session bus of its own.
      let address = "unix:path=\(hall.folder)/bus"
      let bus = Observed([String]())
      _ = try hall.start(
        ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=\(address)", "--print-address"],
        lines: bus)
      _ = try await bus.wait(for: "the session bus") { $0.contains { $0.hasPrefix("unix:path=") } }
      let environment = ["DBUS_SESSION_BUS_ADDRESS": address]
      let settings = "\(hall.folder)/home/.config/mpDris2"
      try FileManager.default.createDirectory(atPath: settings, withIntermediateDirectories: true)
      try Data("[Bling]\nnotify = False\nmmkeys = False\n".utf8).write(
        to: URL(fileURLWithPath: "\(settings)/mpDris2.conf"))
      let log = Observed([String]())
      let bridge = try hall.start(
        ["mpDris2", "--host=\(socket)", "--music-dir=\(hall.music)"], environment: environment, lines: log)

      /// Waits until playerctl prints that.
      func prints(_ expected: String, _ arguments: String...) async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
          let answer = try await hall.run(
            ["playerctl", "--player=mpd"] + arguments, environment: environment)
          if answer.status == 0, answer.text == expected + "\n" { return }
          guard ContinuousClock.now < deadline else {
            throw Failure("\(arguments): \(answer) and not \(expected); \(log.value.suffix(5))")
          }
          // It asks the bus, which tells nobody of a player that is not there yet.
          try await Task.sleep(for: .milliseconds(50))
        }
      }
      func does(_ arguments: String...) async throws {
        let answer = try await hall.run(
          ["playerctl", "--player=mpd"] + arguments, environment: environment)
        #expect(answer.status == 0, "\(arguments): \(answer)")
      }

      try await prints("Stopped", "status")
      try await does("play")
      try await prints("Playing", "status")
      try await prints("Song A", "metadata", "title")
      try await prints("Artist A", "metadata", "artist")
      try await prints("Album X", "metadata", "album")
      try await prints("40000000", "metadata", "mpris:length")
      try await prints("file://\(hall.music)/a.mp3", "metadata", "xesam:url")
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
      try await does("play-pause")
      try await prints("Playing", "status")
      try await does("next")
      try await prints("Song B", "metadata", "title")
      try await does("previous")
      try await prints("Song A", "metadata", "title")
      try await does("volume", "0.4")
      try await prints("0.400000", "volume")
      #expect(try control.ask("getvol") == ["volume: 40", "OK"])
      try await does("loop", "Track")
      try await prints("Track", "loop")
      try await does("loop", "None")
      try await prints("None", "loop")
      try await does("shuffle", "On")
      try await prints("On", "shuffle")
      try await does("shuffle", "Off")
      // What others do arrives as well: a song, a call.
      #expect(try control.ask("play 1") == ["OK"])
      try await prints("Song B", "metadata", "title")
      #expect(try control.ask("interrupt begin") == ["OK"])
      try await prints("Paused", "status")
      #expect(try control.ask("interrupt end") == ["OK"])
      try await prints("Playing", "status")
      try await does("stop")
      try await prints("Stopped", "status")
      #expect(bridge.end == nil, "\(log.value)")
    }
  }
}
