import PulseTestSupport
import Testing

extension BackgrounderTests {
  @Suite struct CommandTests {
    @Test(
      arguments: [
        (["fetch", "--script", "home@3 away@4"], "unknown word \"away\""),
        (["fetch", "--press", "home"], "\"home\" is not WORD@SECONDS"),
        (["fetch", "--press", "home@-1"], "\"home@-1\" is not WORD@SECONDS"),
        (["fetch", "--press", "home@nan"], "\"home@nan\" is not WORD@SECONDS"),
        (["fetch", "--press", "home@1e99"], "\"home@1e99\" is not WORD@SECONDS"),
        (["fetch", "--press", "home@1@2"], "\"home@1@2\" is not WORD@SECONDS"),
        (["fetch", "--background-modes", "fetch", "--info-plist", "x"], "exclude each other"),
        (["audio", "--server", "x", "--null-sink"], "exclude each other"),
        (["fetch", "song.mp3"], "only the audio screen takes files"),
        (["fetch", "--background-time", "-5"], "--background-time"),
        (["fetch", "--work", "inf"], "--work takes seconds"),
        (["fetch", "--info-plist", "/nowhere/Info.plist"], "/nowhere/Info.plist"),
        (["fetch", "--misbehave", "rudely"], "block-background, never-end-task"),
        (["audio", "ftp://nowhere/song.mp3"], "ftp://nowhere/song.mp3: no such file"),
        (["audio", "/nowhere/song.mp3"], "/nowhere/song.mp3: no such file"),
        (["video"], "audio, location, whatever, fetch, listen, upload, download, session, voip, refresh"),
        (
          ["voip", "--port", "1", "--service", "http://127.0.0.1"], "only fetch, upload, download and session"
        ),
        (["voip"], "the voip screen needs the --port of its server"),
        (["session", "--service", "ftp://127.0.0.1"], "--service takes an http or https URL"),
        (["session", "--service", "http://127.0.0.1/?a=b"], "without a query"),
        (["download", "--service", "http://127.0.0.1"], "need each other"),
        (["download", "--downloads", "/tmp"], "need each other"),
        (
          ["download", "--service", "http://127.0.0.1", "--downloads", "/nowhere"], "/nowhere: no such folder"
        ),
        (["fetch", "--port", "8000"], "only the listen and voip screens take --port"),
        (["listen", "--port", "65536"], "--port"),
        (["fetch", "--reclaim-sockets", "sometimes"], "never, when-locked, when-suspended"),
        (["fetch", "--misbehave", "leave-open"], "a fault of the listen screen"),
        (["session", "--misbehave", "wait-for-network"], "a fault of the session screen with a --service"),
        ([], "<screen>"),
      ] as [([String], String)])
    func nonsenseIsRefused(arguments: [String], message: String) async throws {
      let transcript = try await Run(arguments).ended(status: 64)
      #expect(transcript.errors.contains { $0.contains(message) }, "\(transcript.errors)")
      #expect(transcript.lines.isEmpty)
    }

    @Test func helpHasExamples() async throws {
      let transcript = try await Run(["--help"]).ended()
      for word in ["SCREENS", "EXAMPLES", "EXIT STATUS", "--misbehave", "--background-time"] {
        #expect(transcript.lines.contains { $0.contains(word) }, "\(word)")
      }
    }

    @Test func unknownModesAreWarnedOf() async throws {
      let transcript = try await Run(["fetch", "--background-modes", "fetsch", "--press", "quit@0"]).ended()
      #expect(transcript.errors.count == 1)
      #expect(
        transcript.errors.first?.hasPrefix("Backgrounder: unknown background mode \"fetsch\" ignored") == true
      )
    }

    /// Every screen leaves the front four times, twice by each button, without time for what it does there to end in between.
    @Test(
      arguments: [
        "audio", "location", "whatever", "fetch", "listen", "upload", "download", "session", "voip",
        "refresh",
      ])
    func everyScreenLeavesTheFrontMoreThanOnce(screen: String) async throws {
      let port = ["voip": ["--port", "9"], "listen": ["--port", "0"]][screen] ?? []
      let transcript = try await Run(
        [
          screen, "--work", "1.5", "--background-time", "4", "--expiration-warning", "0.5", "--script",
          "tap@0 home@0.3 foreground@0.5 home@0.7 foreground@0.9 lock@1.1 unlock@1.3 lock@1.5 quit@6.5",
        ] + port + (screen == "audio" ? ["--null-sink"] : [])
      ).ended()
      // Where it is, nobody says here.
      #expect(transcript.errors.allSatisfy { screen == "location" && $0.hasSuffix("no source of places") })
      #expect(transcript.system.count { $0 == "> call didEnterBackground" } == 4)
      let tasks = transcript.system.filter { $0.hasPrefix("> task ") }
      let (begun, ended) = (tasks.count { $0.hasSuffix(" begun") }, tasks.count { $0.hasSuffix(" ended") })
      #expect(begun == ended, "\(tasks)")
      #expect(transcript.system.suffix(2) == ["> state suspended", "> quit"])
    }

    /// The session is over once, however often its application leaves the front meanwhile.
    @Test func theSessionEndsOnce() async throws {
      let transcript = try await Run([
        "session", "--work", "1.5", "--background-time", "4", "--expiration-warning", "0.5", "--script",
        "home@0.3 foreground@0.6 home@0.9 quit@6.5",
      ]).ended()
      #expect(
        transcript.application == [
          "Session begun", "Application entered background state.",
          "Application entered background state.", "Session ended",
        ])
    }

    /// A call of the service that outlives its task does not end the next one.
    @Test func aLateAnswerEndsNoOtherTask() async throws {
      let transcript = try await Run([
        "session", "--work", "3", "--background-time", "2", "--expiration-warning", "0.5", "--script",
        "home@0.3 foreground@2.5 home@2.8 quit@6.5",
      ]).ended()
      let tasks = transcript.system.filter { $0.hasPrefix("> task ") }
      let story = ["begun", "expires", "ended", "has expired"]
      #expect(
        tasks == [1, 2].flatMap { number in story.map { "> task \(number) \"End of session\" \($0)" } })
    }

    /// The lock and its end, a memory warning and the end by the system, as the application is told of them.
    @Test func everyPressArrives() async throws {
      let transcript = try await Run([
        "whatever", "--script",
        "lock@0.3 unlock@0.6 call@0.9 hangup@1.2 memory@1.5 terminate@1.8 tap@2.1 launch@2.4 quit@2.7",
      ]).ended()
      var expected = Transcript.launch
      expected.append("> lock")
      expected += Transcript.home.dropFirst()
      expected += ["> state background", "> state suspended", "> unlock"]
      expected += Transcript.foreground.dropFirst()
      expected += [
        "> state active", "> call", "> call willResignActive", "> state inactive", "> interruption began",
        "> hangup",
        "> interruption ended, sound should resume", "> call didBecomeActive", "> state active", "> memory",
        "> call didReceiveMemoryWarning", "> terminate", "> call willTerminate", "> state notRunning",
        "> terminated", "> tap", "> the application is not active",
      ]
      expected += Transcript.launch
      expected.append("> quit")
      #expect(transcript.system == expected)
      #expect(transcript.application.isEmpty)
    }
  }
}
