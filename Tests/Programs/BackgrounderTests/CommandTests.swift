import AppLifecycle
import ArgumentParser
import ContinuoTesting
import Foundation
import PulseTestSupport
import TestSupport
import Testing

@testable import Backgrounder

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
        (["fetch", "song.mp3"], "only the audio screen and the tabs take files"),
        (["fetch", "--background-time", "-5"], "--background-time"),
        (["fetch", "--work", "inf"], "--work takes seconds"),
        (["fetch", "--info-plist", "/nowhere/Info.plist"], "/nowhere/Info.plist"),
        (["fetch", "--misbehave", "rudely"], "block-background, never-end-task"),
        (["audio", "ftp://nowhere/song.mp3"], "ftp://nowhere/song.mp3: no such file"),
        (["audio", "/nowhere/song.mp3"], "/nowhere/song.mp3: no such file"),
        (["video"], "audio, location, whatever, fetch, listen, upload, download, session, voip, refresh"),
        (
          ["voip", "--port", "1", "--service", "http://127.0.0.1"],
          "only fetch, upload, download, session and tabs"
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
        (["location", "--location", "/nowhere/run.gpx"], "/nowhere/run.gpx: no such file"),
        (["location", "--location", "gpsd:a:b"], "is not gpsd:HOST:PORT"),
        (["location", "--location-speed", "0"], "--location-speed takes a factor"),
        (["location", "--location-speed", "nan"], "--location-speed takes a factor"),
        (["fetch", "--location", "gpsd"], "only the location screen and the tabs"),
        (["fetch", "--category", "record"], "only the audio screen and the tabs"),
        (["audio", "--category-option", "loud"], "default-to-speaker"),
        (["location", "--timeline", "/nowhere/run.svg"], "--timeline /nowhere/run.svg"),
        (["location", "--location-answer", "maybe"], "always, when-in-use, denied"),
        ([], "<screen>"),
      ] as [([String], String)])
    func nonsenseIsRefused(arguments: [String], message: String) throws {
      do {
        _ = try BackgrounderCommand.parse(arguments).plan()
        Issue.record("\(arguments) are accepted")
      } catch {
        #expect(BackgrounderCommand.exitCode(for: error) == .validationFailure)
        #expect(BackgrounderCommand.fullMessage(for: error).contains(message))
      }
    }

    /// The program: nothing is printed but what is wrong, also where only the run finds that.
    @Test func aRefusalHasAStatus() async throws {
      let transcript = try await Run(["fetch", "--info-plist", "/nowhere/Info.plist"]).ended(status: 64)
      #expect(transcript.errors.contains { $0.contains("/nowhere/Info.plist") }, "\(transcript.errors)")
      #expect(transcript.lines.isEmpty)
    }

    @Test func helpHasExamples() {
      let help = BackgrounderCommand.helpMessage(columns: 1000)
      for word in ["SCREENS", "EXAMPLES", "EXIT STATUS", "--misbehave", "--background-time"] {
        #expect(help.contains(word), "\(word)")
      }
      // Its own list: other lines may begin with the name of a screen.
      let screens =
        help.components(separatedBy: "SCREENS\n").last?.components(separatedBy: "\n\n").first ?? ""
      let names = screens.split(separator: "\n").compactMap {
        $0.split(separator: " ").first.map(String.init)
      }
      #expect(names == ScreenChoice.allCases.map(\.rawValue))
    }

    @Test func theFirstThreeSongsOfMediaArePlayed() throws {
      let songs = try BackgrounderCommand.parse(["audio"]).plan().parts.songs
      #expect(
        songs.map(\.lastPathComponent) == ["01 Ground in D.mp3", "02 Hundredths.mp3", "03 Threshold.mp3"])
    }

    /// Presses of both options are done in the order of their times. A screen that does nothing before is tapped, unless the
    /// script says when, or words are typed.
    @Test(
      arguments: [
        (
          ["fetch", "--script", "home@3  foreground@6.5", "--press", "lock@4"],
          "home3.0 lock4.0 foreground6.5"
        ),
        (["whatever", "--press", "home@1", "--press", "quit@2"], "tap0.0 home1.0 quit2.0"),
        (["whatever", "--script", "home@1 play@2"], "home1.0 play2.0"),
        (["whatever", "--script", "-", "--press", "home@1"], "home1.0"),
        (["session"], ""),
      ])
    func aScriptIsInOrder(arguments: [String], presses: String) throws {
      let plan = try BackgrounderCommand.parse(arguments).plan()
      #expect(plan.presses.map { "\($0.action)\($0.time)" }.joined(separator: " ") == presses)
    }

    /// Every screen leaves the front four times, twice by each button, without time for what it does there to end in between.
    /// The upload's test does so too.
    @MainActor @Test(arguments: ScreenChoice.allCases.filter { $0 != .upload })
    func everyScreenLeavesTheFrontMoreThanOnce(screen: ScreenChoice) async throws {
      let port = [.voip: ["--port", "9"], .listen: ["--port", "0"]][screen] ?? []
      try await withPhone(
        [
          screen.rawValue, "--work", "15", "--script",
          "tap@0 home@3 foreground@5 home@7 foreground@9 lock@11 unlock@13 lock@15 quit@500",
        ] + port, songs: screen.playsSongs ? { [$0.song("a", duration: .seconds(60)).url] } : nil
      ) { phone in
        let record = phone.device.record
        #expect(
          record.moments(of: "call applicationDidEnterBackground") == [3, 7, 11, 15].map { .seconds($0) })
        let tasks = record.only("task ").entries.map(\.text)
        let (begun, ended) = (tasks.count { $0.hasSuffix(" begun") }, tasks.count { $0.hasSuffix(" ended") })
        #expect(begun == ended, "\(tasks)")
        #expect(phone.device.state == .suspended && phone.device.termination == nil)
      }
    }

    /// The session is over once, however often its application leaves the front meanwhile.
    @MainActor @Test func theSessionEndsOnce() async throws {
      try await withPhone([
        "session", "--work", "15", "--script", "home@3 foreground@6 home@9 quit@500",
      ]) { phone in
        #expect(
          phone.lines == [
            "Session begun", "Application entered background state.",
            "Application entered background state.", "Session ended",
          ])
        #expect(phone.device.record.moments(of: "| Session ended") == [.seconds(18)])
      }
    }

    /// A call of the service that outlives its task does not end the next one.
    @MainActor @Test func aLateAnswerEndsNoOtherTask() async throws {
      try await withPhone([
        "session", "--work", "300", "--script", "home@3 foreground@250 home@280 quit@1000",
      ]) { phone in
        #expect(
          phone.device.record.only("task", "| Session ended", "state background", "state suspended") == """
            3.000 task "End of session" begun
            3.000 state background
            178.000 task "End of session" expires
            178.000 task "End of session" ended
            178.000 state suspended
            280.000 task "End of session" begun
            280.000 state background
            303.000 | Session ended
            455.000 task "End of session" expires
            455.000 task "End of session" ended
            455.000 state suspended
            """)
      }
    }
  }
}
