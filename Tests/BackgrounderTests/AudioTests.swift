import Foundation
import NetworkTestSupport
import PulseOutput
import PulseTestSupport
import TestSupport
import Testing

extension BackgrounderTests {
  /// The audio screen, with what it prints and what is heard.
  @Suite struct AudioTests {
    /// Three songs, a server, and a capture of what it plays.
    private struct Stage {
      let folder: TemporaryFolder
      let server: PrivatePulseServer
      let capture: MonitorCapture
      var paths: [String] = []
      var names: [String] { paths.map { URL(fileURLWithPath: $0).lastPathComponent } }

      init(durations: [Double]) async throws {
        folder = try TemporaryFolder()
        server = try PrivatePulseServer()
        capture = try MonitorCapture(address: server.address, sink: server.configuration.sink)
        try await capture.started()
        for (index, duration) in durations.enumerated() {
          paths.append(try await Song(duration: duration, seed: UInt64(index + 1)).write(into: folder.path))
        }
      }

      func close() {
        capture.stop()
        server.stop()
        folder.remove()
      }

      /// Runs the screen to the end of the script.
      func run(_ arguments: [String], status: Int32 = 0) async throws -> Transcript {
        try await Run(["audio"] + arguments + paths, server: server.address).ended(status: status)
      }
    }

    @Test func withTheModeNothingIsHeardOfTheHomeButton() async throws {
      let stage = try await Stage(durations: [1, 0.8, 0.8])
      defer { stage.close() }
      let transcript = try await stage.run([
        "--background-modes", "audio", "--script", "play@0 home@0.6 foreground@2 quit@5",
      ])
      expectSame(
        Sound(try await stage.capture.untilSilence()).trimmed, try await Sound.mpg123(stage.paths).trimmed)

      #expect(
        transcript.system == Transcript.launch + ["> play"] + Transcript.home + ["> state background"]
          + Transcript.foreground + ["> state active", "> quit"])
      let songs = transcript.application.filter { $0.hasPrefix("Song: ") }
      #expect(songs == stage.names.map { "Song: \($0)" } + ["Song: none"])
      // Every hundredth in the background, one after the other; from 0 again where a song begins.
      let inBackground = try transcript.application(after: "> state background", before: "> foreground")
      #expect(inBackground.count > 50)
      var last: Int?
      for line in inBackground {
        if line.hasPrefix("Song: ") {
          last = -1
          continue
        }
        let step = try #require(hundredths(line), "\(line)")
        if let last { #expect(step == last + 1, "\(line)") }
        last = step
      }
      #expect(transcript.errors.isEmpty)
    }

    @Test func withoutTheModeItStopsAndGoesOn() async throws {
      let stage = try await Stage(durations: [1, 0.8, 0.8])
      defer { stage.close() }
      let transcript = try await stage.run(["--script", "play@0 home@0.6 foreground@1.4 quit@6"])
      let heard = Sound(try await stage.capture.untilSilence()).trimmed
      expectSame(
        heard.withoutSilence, try await Sound.mpg123(stage.paths).withoutSilence, "both parts together")
      #expect(heard.silences.count == 1)

      #expect(
        transcript.system == Transcript.launch + ["> play"] + Transcript.home
          + ["> state background", "> state suspended"] + Transcript.foreground + [
            "> state active", "> quit",
          ])
      #expect(try transcript.application(after: "> state suspended", before: "> foreground").isEmpty)
      let songs = transcript.application.filter { $0.hasPrefix("Song: ") }
      #expect(songs == stage.names.map { "Song: \($0)" } + ["Song: none"])
      #expect(transcript.errors.isEmpty)
    }

    /// The connection with the sound server is the system's, also over TCP: a suspension does not touch it.
    @Test func soundOverTCPGoesOnBehindASuspension() async throws {
      let stage = try await Stage(durations: [1.5])
      defer { stage.close() }
      let port = try HostileServer.freePort()
      _ = try pactl(
        stage.server.address, "load-module", "module-native-protocol-tcp", "listen=127.0.0.1", "port=\(port)",
        "auth-anonymous=1")
      let run = try Run(
        ["audio", "--script", "play@0 home@0.6 foreground@1.4 quit@4"] + stage.paths,
        server: "tcp:127.0.0.1:\(port)")
      let transcript = try await run.ended()
      let heard = Sound(try await stage.capture.untilSilence()).trimmed
      expectSame(heard.withoutSilence, try await Sound.mpg123(stage.paths).withoutSilence)
      #expect(heard.silences.count == 1)
      #expect(transcript.system.contains("> state suspended"))
      #expect(!transcript.system.contains { $0.contains("reclaimed") })
      #expect(transcript.errors.isEmpty)
    }

    /// T13: with the mode the home button changes nothing for a song from the network either. Without it the song goes on with
    /// the very next frame, over the connection that it had: that is the system's, and is not reclaimed.
    @Test(arguments: [true, false])
    func aSongFromTheNetworkGoesOn(hasMode: Bool) async throws {
      let stage = try await Stage(durations: [4])
      defer { stage.close() }
      let file = HostileFile(Array(try Data(contentsOf: URL(fileURLWithPath: stage.paths[0]))))
      let server = try HostileServer { request in
        file.answer(request).map { step in
          if case .send(let bytes) = step, bytes.count > 1000 {
            // In 1.5 s, so that the connection is in use when the button is pressed.
            .sendSlowly(bytes, piece: bytes.count / 20, pause: 0.075)
          } else {
            step
          }
        }
      }
      let modes = hasMode ? ["--background-modes", "audio"] : []
      let run = try Run(
        ["audio", "--script", "play@0 home@1 foreground@1.6 quit@8"] + modes + [server.url("/song.mp3")],
        server: stage.server.address)
      let transcript = try await run.ended()
      let heard = Sound(try await stage.capture.untilSilence()).trimmed
      expectSame(heard.withoutSilence, try await Sound.mpg123(stage.paths).withoutSilence)
      #expect(heard.silences.count == (hasMode ? 0 : 1))
      #expect(server.requests.count == 1)
      #expect(transcript.system.contains("> state suspended") != hasMode)
      #expect(!transcript.system.contains { $0.contains("reclaimed") })
      #expect(transcript.errors.isEmpty)
    }

    @Test func theButtonPausesAndPlays() async throws {
      let stage = try await Stage(durations: [1.5])
      defer { stage.close() }
      let transcript = try await stage.run(["--script", "play@0 tap@0.6 tap@1.2 quit@4"])
      let heard = Sound(try await stage.capture.untilSilence()).trimmed
      expectSame(heard.withoutSilence, try await Sound.mpg123(stage.paths).withoutSilence)
      #expect(heard.silences.count == 1)
      #expect(transcript.system == Transcript.launch + ["> play", "> tap", "> tap", "> quit"])
      #expect(transcript.application == ["Song: \(stage.names[0])", "Song: none"])
    }

    @Test func aCallInterruptsAndTheScreenResumes() async throws {
      let stage = try await Stage(durations: [1.5])
      defer { stage.close() }
      let transcript = try await stage.run([
        "--background-modes", "audio", "--script", "play@0 call@0.6 hangup@1.2 quit@4",
      ])
      let heard = Sound(try await stage.capture.untilSilence()).trimmed
      expectSame(heard.withoutSilence, try await Sound.mpg123(stage.paths).withoutSilence)
      #expect(heard.silences.count == 1)
      #expect(
        transcript.system == Transcript.launch + [
          "> play", "> call", "> call willResignActive", "> state inactive", "> interruption began",
          "> hangup",
          "> interruption ended, sound should resume", "> call didBecomeActive", "> state active", "> quit",
        ])
      let words = transcript.application.filter { hundredths($0) == nil }
      #expect(words.count == 4)
      #expect(words.first == "Song: \(stage.names[0])")
      #expect(words.dropFirst().first?.hasPrefix("Interrupted at 0.") == true)
      #expect(words.suffix(2) == ["Interruption is over", "Song: none"])
    }

    /// A terminated application is silent at once, also while its main thread hangs. Its next life goes on where
    /// it ended.
    @Test func aTerminatedApplicationIsSilentAndRestored() async throws {
      let stage = try await Stage(durations: [1, 2.5, 0.5])
      defer { stage.close() }
      let transcript = try await stage.run(
        [
          "--background-modes", "audio", "--misbehave", "block-background", "--call-limit", "1", "--script",
          "play@0 home@0.7 launch@3 play@3.5 quit@8",
        ], status: 1)
      let heard = Sound(try await stage.capture.untilSilence()).trimmed
      let whole = try await Sound.mpg123(stage.paths).trimmed
      #expect(heard.silences.count == 1)
      let silence = try #require(heard.silences.first)
      let first = heard[0..<silence.start]
      let second = heard[(silence.start + silence.count)..<heard.frames.count]
      // Nothing is missing. What the sink had taken already sounds in both lives: two of its blocks at most.
      let both = first.frames.count + second.frames.count - whole.frames.count
      #expect((0...4410).contains(both))
      expectSame(first, whole[0..<min(first.frames.count, whole.frames.count)], "the first life")
      expectSame(
        second, whole[max(0, whole.frames.count - second.frames.count)..<whole.frames.count],
        "the second life")
      #expect(
        transcript.system == Transcript.launch + ["> play"] + Transcript.home
          + ["> state notRunning", "> terminated: 0x8badf00d"] + Transcript.launch + ["> play", "> quit"])
      #expect(transcript.errors.first == "Application terminated: 0x8badf00d")
      // The observer was in line behind the hanging call; with the application it is gone.
      #expect(
        try transcript.application(after: "> terminated: 0x8badf00d", before: "> launch")
          == ["No longer blocking the main thread"])
      let names = stage.names.map { "Song: \($0)" }
      #expect(
        try transcript.application(after: "> terminated: 0x8badf00d", "> launch", before: "> quit")
          == ["Restored", names[1], names[2], "Song: none"])
    }

    /// The hundredths in a line like `Background: 12.34`; nil for another.
    @Test func aFileThatIsNoSongIsNamed() async throws {
      let stage = try await Stage(durations: [0.5])
      defer { stage.close() }
      let path = stage.folder.path + "/no.mp3"
      try Data("no sound".utf8).write(to: URL(fileURLWithPath: path))
      let transcript = try await stage.run(["--script", "play@0 quit@2", path])
      #expect(transcript.application.count { $0.hasPrefix("Cannot play no.mp3: ") } == 1)
      #expect(transcript.application.contains("Song: \(stage.names[0])"))
    }

    /// However often the server is tried again.
    @Test func silenceIsToldOnce() async throws {
      let stage = try await Stage(durations: [0.5])
      defer { stage.close() }
      let transcript = try await Run(
        ["audio", "--script", "play@0 quit@2"] + stage.paths, server: "unix:\(stage.folder.path)/nobody"
      ).ended()
      #expect(transcript.errors.count == 1, "\(transcript.errors)")
      #expect(transcript.errors.first?.hasPrefix("Backgrounder: no sound: ") == true)
    }

    private func hundredths(_ line: String) -> Int? {
      guard line.hasPrefix("Background: ") else { return nil }
      let parts = line.dropFirst(12).split(separator: ".")
      guard parts.count == 2, parts[1].count == 2, let whole = Int(parts[0]), let part = Int(parts[1]) else {
        return nil
      }
      return whole * 100 + part
    }
  }
}
