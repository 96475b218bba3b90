import Foundation
import PulseOutput
import PulseTestSupport
import Testing

extension EndToEndTests {
  /// The heart of the life cycle: what the home button does to the sound.
  @Suite struct HomeButtonTests {
    /// Ways to have the entitlement, or not to.
    enum Entitlement: String, CaseIterable { case option, xmlList, binaryList }

    /// The arguments for background modes; without a list, none.
    private func arguments(_ entitlement: Entitlement, hasAudio: Bool, in studio: Studio) throws -> [String] {
      if entitlement == .option { return ["--background-modes", hasAudio ? "audio" : "none"] }
      let list: [String: Any] = [
        "CFBundleName": "Tests", "UIBackgroundModes": hasAudio ? ["fetch", "audio"] : ["fetch"],
      ]
      let data = try PropertyListSerialization.data(
        fromPropertyList: list, format: entitlement == .xmlList ? .xml : .binary, options: 0)
      return ["--info-plist", try studio.write(data, to: "Info.plist")]
    }

    @Test(arguments: Entitlement.allCases, ["home", "lock"])
    func withAudioModeNothingIsHeardOfIt(entitlement: Entitlement, way: String) async throws {
      let studio = try Studio()
      defer { studio.close() }
      let back = way == "home" ? "foreground" : "unlock"
      let songs = [Song(duration: 0.7, seed: 5), Song(duration: 5, seed: 6)]
      var paths: [String] = []
      for song in songs { paths.append(try await song.write(into: studio.folder)) }
      let server = try studio.startServer()
      let capture = try await studio.capture(server.address)
      // The end of the first song is in the background too.
      let player = try studio.play(
        paths + ["--at", "0.4:\(way)", "--at", "3:\(back)"]
          + arguments(entitlement, hasAudio: true, in: studio), server: server)
      #expect(try await player.ended().status == 0)
      expectSame(Sound(try await capture.untilSilence()).trimmed, try await Sound.mpg123(paths).trimmed)

      let events = player.events
      #expect(
        events.withoutTime.filter { !$0.isOfThePlayer }
          == ["inactive", "active", "inactive", "background", "inactive", "active"].map {
            .applicationState($0)
          })
      for (index, song) in songs.enumerated() { #expect(events.steps(of: index).map(\.value) == song.steps) }
      // Each step says the state in which it was seen, and one in a second in the background is printed.
      var state = "active"
      var printed: [String] = []
      for event in events.events {
        if case .applicationState(let new) = event { state = new }
        guard case .time(_, let value, _, let said) = event else { continue }
        #expect(said == state)
        let hundredths = value % 100 < 10 ? "0\(value % 100)" : "\(value % 100)"
        if said == "background", value % 100 == 0 {
          printed.append("Background: \(value / 100).\(hundredths)")
        }
      }
      #expect(!printed.isEmpty)
      #expect(player.log.value.output.filter { $0.hasPrefix("Background") } == printed)
    }

    @Test(arguments: Entitlement.allCases, ["home", "lock"])
    func withoutAudioModeItStopsAndGoesOn(entitlement: Entitlement, way: String) async throws {
      let studio = try Studio()
      defer { studio.close() }
      let back = way == "home" ? "foreground" : "unlock"
      let song = Song(duration: 3, seed: 7)
      let path = try await song.write(into: studio.folder)
      let server = try studio.startServer()
      let capture = try await studio.capture(server.address)
      let player = try studio.play(
        [path, "--at", "0.4:\(way)", "--at", "3.4:\(back)"]
          + arguments(entitlement, hasAudio: false, in: studio), server: server)
      #expect(try await player.ended().status == 0)
      let heard = Sound(try await capture.untilSilence()).trimmed
      expectSame(heard.withoutSilence, try await Sound.mpg123([path]).withoutSilence, "both parts together")
      let silence = Double(heard.longestSilence.count) / 44100
      print("silent for \(silence) s of 3 s in the background")
      #expect(silence > 0.1)

      let events = player.events
      #expect(
        events.withoutTime.filter { !$0.isOfThePlayer }
          == ["inactive", "active", "inactive", "background", "suspended", "inactive", "active"].map {
            .applicationState($0)
          })
      // From the suspension on there is nothing but the return.
      let suspension = try #require(events.firstIndex { $0.event == .applicationState("suspended") })
      #expect(events[suspension + 1].event == .applicationState("inactive"))
      #expect(events[suspension + 1].host - events[suspension].host > silence / 2)
      #expect(events.steps(of: 0).map(\.value) == song.steps)
      #expect(!player.log.value.output.contains { $0.hasPrefix("Background") })
    }
  }
}
