import AppLifecycle
import ContinuoTesting
import Foundation
import NetworkTestSupport
import PulseOutput
import PulseTestSupport
import TestSupport
import Testing

@testable import Backgrounder

extension BackgrounderTests {
  /// The audio screen, with what it prints and what is heard.
  @Suite struct AudioTests {
    /// The program: with the mode the home button changes nothing of what is heard.
    @Test(.blocksThread) func withTheModeNothingIsHeardOfTheHomeButton() async throws {
      let stage = try await AudioStage(durations: [0.3, 3, 0.3])
      defer { stage.close() }
      let run = try stage.run(["--background-modes", "audio"])
      run.type("play")
      try await run.printed("Song: \(stage.names[1])")
      run.type("home")
      try await run.line(number: 10) { $0.hasPrefix("Background: ") }
      run.type("foreground")
      try await run.printed("Song: Unknown")
      // A busy machine may put silences between its frames.
      expectSame(
        Sound(try await stage.capture.untilSilence()).withoutSilence,
        try await Sound.mpg123(stage.paths).withoutSilence)
      let transcript = try await run.quit()

      #expect(
        transcript.system == Transcript.launch + ["> play"] + Transcript.home + ["> state background"]
          + Transcript.foreground + ["> state active", "> quit"])
      let songs = transcript.application.filter { $0.hasPrefix("Song: ") }
      #expect(songs == stage.names.map { "Song: \($0)" } + ["Song: Unknown"])
      // Ascending times: a busy machine may leave out some.
      let times = transcript.application.compactMap(hundredths)
      #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 }, "\(times)")
      expectNoErrors(transcript)
    }

    @MainActor @Test func withTheModeEveryHundredthIsPrinted() async throws {
      try await withPhone(
        ["audio", "--background-modes", "audio", "--script", "play@0 home@0.605 foreground@2.005 quit@5"],
        songs: { device in ["a", "b", "c"].map { device.song($0, duration: .seconds(1)).url } }
      ) { phone in
        #expect(phone.device.heard.passages.map(\.frames) == Array(repeating: 0..<44_100, count: 3))
        #expect(phone.device.heard.silences.isEmpty)
        let behind = phone.lines.drop { !$0.hasPrefix("Background: ") }
        let first = (61...99).map { "Background: 0.\($0)" }
        let second = (0...99).map { "Background: 0.\($0 < 10 ? "0" : "")\($0)" }
        #expect(
          behind == first + ["Song: b.mp3"] + second + ["Song: c.mp3"] + second.prefix(1)
            + ["Time: 0.01", "Song: Unknown"])
      }
    }

    /// The program over TCP: sound stops with the suspension and goes on with the very next frame. The connection with the
    /// sound server is the system's: a suspension does not touch it. So is that for a song from the network.
    @Test(.blocksThread) func withoutTheModeItStopsAndGoesOn() async throws {
      var stage = try await AudioStage(durations: [0.3, 4])
      defer { stage.close() }
      let port = try LoopbackSocket.freePort()
      _ = try pactl(
        stage.server.address, "load-module", "module-native-protocol-tcp", "listen=127.0.0.1", "port=\(port)",
        "auth-anonymous=1")
      let files = stage.paths
      let file = HostileFile(Array(try Data(contentsOf: URL(fileURLWithPath: files[1]))))
      let server = try HostileServer { request in
        file.answer(request).map { step in
          if case .send(let bytes) = step, bytes.count > 1000 {
            // In 2 s, so that the connection is in use when the button is pressed.
            .sendSlowly(bytes, piece: bytes.count / 20, pause: 0.1)
          } else {
            step
          }
        }
      }
      stage.paths = [files[0], server.url("/song.mp3")]
      let run = try stage.run([], server: "tcp:127.0.0.1:\(port)")
      run.type("play")
      try await run.printed("Song: song.mp3")
      run.type("home")
      try await run.printed("state suspended")
      // A silence that can be told from none.
      try await Task.sleep(for: .milliseconds(500))
      run.type("foreground")
      try await run.printed("Song: Unknown")
      let heard = Sound(try await stage.capture.untilSilence()).trimmed
      let transcript = try await run.quit()
      expectSame(heard.withoutSilence, try await Sound.mpg123(files).withoutSilence, "both parts together")
      #expect(heard.silences.contains { $0.count > 10_000 })
      #expect(server.requests.count == 1)
      #expect(
        transcript.system == Transcript.launch + ["> play"] + Transcript.home
          + ["> state background", "> state suspended"] + Transcript.foreground + [
            "> state active", "> quit",
          ])
      #expect(try transcript.application(after: "> state suspended", before: "> foreground").isEmpty)
      let songs = transcript.application.filter { $0.hasPrefix("Song: ") }
      #expect(songs == stage.names.map { "Song: \($0)" } + ["Song: Unknown"])
      expectNoErrors(transcript)
    }

    /// T13: with the mode the home button changes nothing for a song from the network either. Without it the song goes on with
    /// the very next frame.
    @MainActor @Test(arguments: [true, false])
    func aSongFromTheNetworkGoesOn(hasMode: Bool) async throws {
      let modes = hasMode ? ["--background-modes", "audio"] : []
      try await withPhone(
        ["audio", "--script", "play@0 home@1 foreground@3 quit@20"] + modes,
        songs: { [$0.song("a", duration: .seconds(4), at: "http://music.example/a.mp3").url] }
      ) { phone in
        let heard = phone.device.heard
        #expect(heard.passages.map(\.frames) == [0..<176_400])
        #expect(heard.silences.map { $0.end - $0.start }.count == (hasMode ? 0 : 1))
        #expect(phone.device.record.contains("state suspended") != hasMode)
        #expect(phone.device.network.requests.count == 1)
        #expect(phone.lines.last == "Song: Unknown")
      }
    }

    @MainActor @Test func theButtonPausesAndPlays() async throws {
      try await withPhone(
        ["audio", "--script", "play@0 tap@0.6 tap@1.2 quit@4"],
        songs: { [$0.song("a", duration: .seconds(1)).url] }
      ) { phone in
        #expect(
          phone.device.record.only("|", "sound", "silence") == """
            0.000 | Song: a.mp3
            0.000 | Time: 0.00
            0.000 sound a from frame 0
            0.600 silence
            1.200 sound a from frame 26460
            1.600 | Song: Unknown
            1.600 silence
            """)
      }
    }

    @MainActor @Test func theTimeIsShownInFront() async throws {
      try await withPhone(
        ["audio", "--script", "play@0 quit@4"],
        songs: { device in ["a", "b"].map { device.song($0, duration: .milliseconds(1500)).url } }
      ) { phone in
        #expect(
          phone.device.record.only("|") == """
            0.000 | Song: a.mp3
            0.000 | Time: 0.00
            1.000 | Time: 1.00
            1.500 | Song: b.mp3
            1.500 | Time: 0.00
            2.500 | Time: 1.00
            3.000 | Song: Unknown
            """)
      }
    }

    /// What the manual prints of the second command is what that prints.
    @MainActor @Test func theManualShowsTheOutput() async throws {
      let path = "Sources/Apple/Continuo/Continuo.docc/Backgrounder.md"
      let page = try String(contentsOf: Repository.folder.appendingPathComponent(path), encoding: .utf8)
      let blocks = page.components(separatedBy: "```")
      let output = try #require(blocks.dropLast().last).split(separator: "\n").map(String.init)
      let commands = try #require(blocks.first { $0.hasPrefix("sh\n") }).split(separator: "\n").dropFirst()
      let command = try #require(commands.dropFirst().first).split(
        separator: "\"", omittingEmptySubsequences: false)
      #expect(command.first == "swift run Backgrounder audio --script ")
      try await withPhone(
        ["audio", "--script", String(command[1])],
        songs: { [$0.song("01 Ground in D", duration: .seconds(60)).url] }
      ) { phone in
        #expect(phone.lines == output.filter { !$0.hasPrefix("[") })
      }
      let calls = output.filter { $0.hasPrefix("[") }.map { "> " + $0.split(separator: " ", maxSplits: 1)[1] }
      #expect(
        calls == Transcript.launch + ["> play"] + Transcript.home
          + ["> state background", "> state suspended"] + Transcript.foreground + [
            "> state active", "> quit",
          ])
    }

    @MainActor @Test func aSongWithoutATitleIsUnknown() async throws {
      try await withPhone(
        ["audio", "--press", "play@0"],
        songs: { [$0.song("a", duration: .seconds(1), at: "http://music.example/").url] }
      ) { phone in
        #expect(phone.lines.first == "Song: Unknown")
      }
    }

    /// The category is the application's, and the options decide where the sound goes.
    @MainActor
    @Test(
      arguments: [
        ([], .playback, .builtInSpeaker),
        (["--category", "play-and-record"], .playAndRecord, .builtInReceiver),
        (
          ["--category", "play-and-record", "--category-option", "default-to-speaker"], .playAndRecord,
          .builtInSpeaker
        ),
      ] as [([String], AVAudioSession.Category, AVAudioSession.Port)])
    func theCategoryAndItsOptionsAreChosen(
      arguments: [String], category: AVAudioSession.Category, port: AVAudioSession.Port
    ) async throws {
      try await withPhone(
        ["audio", "--script", "play@0 quit@1"] + arguments,
        songs: { [$0.song("a", duration: .seconds(4)).url] }
      ) { phone in
        let session = AVAudioSession.sharedInstance()
        #expect(session.category == category && session.currentRoute.outputs.map(\.portType) == [port])
        #expect(!phone.lines.contains { $0.hasPrefix("Failed") })
      }
    }

    @MainActor @Test func aCategoryThatIsRefusedIsLogged() async throws {
      try await withPhone(
        ["audio", "--category", "solo-ambient", "--category-option", "mix-with-others", "--press", "play@0"],
        songs: { [$0.song("a", duration: .seconds(1)).url] }
      ) { phone in
        #expect(
          phone.lines.first?.hasPrefix("Failed to set audio session category. Error: ") == true,
          "\(phone.lines)")
        #expect(phone.lines.dropFirst().first == "Song: a.mp3")
      }
    }

    @MainActor @Test func aCallInterruptsAndTheScreenResumes() async throws {
      try await withPhone(
        ["audio", "--background-modes", "audio", "--script", "play@0 call@0.605 hangup@1.2 quit@4"],
        songs: { [$0.song("a", duration: .seconds(1)).url] }
      ) { phone in
        #expect(
          phone.device.record.without("| Background").since(.milliseconds(1)) == """
            0.605 interrupt begin
            0.605 call applicationWillResignActive
            0.605 state inactive
            0.605 interruption began
            0.605 | Interrupted at 0.60
            0.605 silence
            1.200 interrupt end resume
            1.200 interruption ended, should resume
            1.200 call applicationDidBecomeActive
            1.200 | Interruption is over
            1.200 state active
            1.200 sound a from frame 26681
            1.595 | Song: Unknown
            1.595 silence
            """)
      }
    }

    /// The system advises against it: the user may have begun other sound meanwhile.
    @MainActor @Test func theScreenStaysPausedIfItIsNotToResume() async throws {
      try await withPhone(
        ["audio", "--background-modes", "audio", "--press", "play@0", "--press", "call@0.605"],
        songs: { [$0.song("a", duration: .seconds(1)).url] }
      ) { phone in
        await phone.device.advance(to: .milliseconds(1200))
        await phone.device.endInterruption(shouldResume: false)
        await phone.device.advance(by: .seconds(1))
        #expect(
          phone.device.record.only("| Inter", "sound", "silence") == """
            0.000 sound a from frame 0
            0.605 | Interrupted at 0.60
            0.605 silence
            1.200 | Interruption is over
            """)
      }
    }

    /// The program: a terminated application is silent at once, also while its main thread hangs. Its next life goes on where
    /// it ended.
    @Test(.blocksThread) func aTerminatedApplicationIsSilentAndRestored() async throws {
      let stage = try await AudioStage(durations: [0.3, 7, 0.3])
      defer { stage.close() }
      let names = stage.names.map { "Song: \($0)" }
      let run = try stage.run([
        "--background-modes", "audio", "--misbehave", "block-background", "--call-limit", "3",
      ])
      run.type("play")
      try await run.printed(names[1])
      run.type("home")
      try await run.printed("terminated: 0x8badf00d")
      run.type("launch play")
      try await run.printed("Song: Unknown")
      let heard = Sound(try await stage.capture.untilSilence()).trimmed
      let transcript = try await run.quit(status: 1)
      let whole = try await Sound.mpg123(stage.paths).withoutSilence
      let silence = try #require(heard.silences.max { $0.count < $1.count })
      let first = heard[0..<silence.start].withoutSilence
      let second = heard[(silence.start + silence.count)..<heard.frames.count].withoutSilence
      // What the sink had taken already sounds in both lives: two of its blocks, or more of them on a busy machine. A sink
      // that is late there has not played all that it should have by then, a block at most.
      let both = first.frames.count + second.frames.count - whole.frames.count
      #expect((-2_205..<22_050).contains(both))
      expectSame(first, whole[0..<min(first.frames.count, whole.frames.count)], "the first life")
      expectSame(
        second, whole[max(0, whole.frames.count - second.frames.count)..<whole.frames.count],
        "the second life")
      #expect(
        transcript.system == Transcript.launch + ["> play"] + Transcript.home
          + ["> state notRunning", "> terminated: 0x8badf00d"] + Transcript.launch + ["> play", "> quit"])
      #expect(transcript.errors.first == "continuo: Application terminated: 0x8badf00d")
      // The observer was in line behind the hanging call; with the application it is gone. On a busy machine the call may begin
      // to hang when its time is over.
      #expect(
        try transcript.application(after: "> terminated: 0x8badf00d", before: "> launch")
          .filter { $0 != "Blocking the main thread" }.isEmpty)
      #expect(
        try transcript.application(after: "> terminated: 0x8badf00d", "> launch", before: "> quit")
          .filter { !$0.hasPrefix("Time: ") } == ["Restored", names[1], names[2], "Song: Unknown"])
    }

    /// The program: the phone kills the process of a suspended application, which is told nothing of it.
    @Test(.blocksThread) func anApplicationThatIsTerminatedWhileItIsSuspendedIsRestored() async throws {
      let stage = try await AudioStage(durations: [0.3, 20])
      defer { stage.close() }
      let run = try stage.run([])
      run.type("play")
      try await run.line { $0.hasPrefix("Time: ") && !$0.hasPrefix("Time: 0.") }
      run.type("home")
      try await run.printed("state suspended")
      run.type("terminate")
      run.type("launch play")
      _ = try await run.log.wait(for: "a time") { log in
        log.output.drop { !$0.hasSuffix("] terminate") }.contains { $0.hasPrefix("Time: ") }
      }
      let transcript = try await run.quit()
      let lines = try transcript.application(after: "> terminate", "> launch", before: "> quit")
      #expect(lines.prefix(2) == ["Restored", "Song: \(stage.names[1])"])
      #expect(lines.first { $0.hasPrefix("Time: ") }?.hasPrefix("Time: 0.") == false)
    }

    /// The program: what the phone would restore is that of a suspension only as long as that lasts.
    @Test(.blocksThread) func anApplicationThatIsResumedDropsThePlayersOfItsSuspension() async throws {
      let stage = try await AudioStage(durations: [20])
      defer { stage.close() }
      let run = try stage.run([])
      run.type("play")
      try await run.line { $0.hasPrefix("Time: ") }
      let process = "/proc/\(try run.application())"
      let arguments = try String(contentsOfFile: "\(process)/cmdline", encoding: .utf8).split(separator: "\0")
      let option = try #require(arguments.firstIndex(of: "--phone-players"))
      let players = "\(process)/fd/\(arguments[option + 1])"
      run.type("home")
      try await run.printed("state suspended")
      #expect(try String(contentsOfFile: players, encoding: .utf8).contains(stage.names[0]))
      run.type("foreground")
      try await run.printed("state active", times: 2)
      #expect(try String(contentsOfFile: players, encoding: .utf8) == "[]")
      _ = try await run.quit()
    }

    @MainActor @Test func aFileThatIsNoSongIsNamed() async throws {
      try await withPhone(
        ["audio", "--script", "play@0 quit@2"],
        songs: { [$0.song("a", duration: .seconds(1)).url, $0.brokenSong("no")] }
      ) { phone in
        #expect(phone.lines.count { $0.hasPrefix("Cannot play no.mp3: ") } == 1)
        #expect(phone.lines.first == "Song: a.mp3")
      }
    }

    /// The program: however often the server is tried again.
    @Test(.blocksThread) func silenceIsToldOnce() async throws {
      let stage = try await AudioStage(durations: [0.5])
      defer { stage.close() }
      let run = try stage.run([], server: "unix:\(stage.folder.path)/nobody")
      run.type("play")
      _ = try await run.log.wait(for: "a complaint") { !$0.errors.isEmpty }
      // Time for further attempts.
      try await Task.sleep(for: .seconds(1))
      let transcript = try await run.quit()
      #expect(transcript.errors.count == 1, "\(transcript.errors)")
      #expect(transcript.errors.first?.hasPrefix("Backgrounder: no sound: ") == true)
    }

    /// Expects no complaint but that a busy machine has left out times.
    private func expectNoErrors(_ transcript: Transcript, sourceLocation: SourceLocation = #_sourceLocation) {
      #expect(
        transcript.errors.allSatisfy { $0.contains("time steps left out") }, "\(transcript.errors)",
        sourceLocation: sourceLocation)
    }

    /// The hundredths in a line like `Background: 12.34`; nil for another.
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
