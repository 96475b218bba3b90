import AppLifecycle
import ArgumentParser
import Clocks
import Continuo
import ControlProtocol
import ControlServer
import ControlTestSupport
import Foundation
import Jukebox
import JukeboxPlayback
import MPDService
import MusicFiles
import TestSupport
import Testing

@testable import ContinuoCommand

/// What `play` and `serve` have in common, and in what they differ, in virtual time.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct SessionTests {
  // MARK: What they have in common

  @Test func anApplicationIsStartedWithEachLaunchAndOnlyThen() throws {
    try VirtualRun.with(songs: [10]) { run in
      #expect(run.session.service.application == nil)
      run.session.start()
      run.pass(0.5)
      #expect(run.starts == 1)
      for command in [.home, .foreground, .lock, .unlock] as [PlayerCommand] {
        run.perform(command)
        run.pass(0.2)
      }
      #expect(run.starts == 1)
      run.perform(.terminate)
      run.pass(0.2)
      #expect(run.session.service.application == nil && run.host.read { $0.state } == .playing)
      run.perform(.launch)
      run.pass(0.2)
      #expect(run.starts == 2 && run.session.service.application != nil && run.status == "play")
    }
  }

  @Test func itEndsOnce() throws {
    try VirtualRun.with(songs: [10]) { run in
      run.session.start()
      run.pass(0.5)
      run.session.end(3)
      run.session.end(4)
      #expect(run.exits == [3] && run.session.isEnded)
      #expect(run.session.service.application == nil)
      #expect(run.seen.count { $0 == .told("ending") } == 1)
      let heard = run.heardFrames
      run.pass(1)
      #expect(run.heardFrames == heard)
    }
  }

  @Test func refusalsOfTheDeviceAreTold() throws {
    try VirtualRun.with(songs: [10]) { run in
      run.session.start()
      run.pass(0.5)
      run.perform(.fetch)
      #expect(run.complaints == ["a background fetch needs the background mode fetch"])
    }
  }

  @Test func theOutputIsNewsWhenItComesAndNotAgain() throws {
    try VirtualRun.with(songs: [10]) { run in
      run.session.start()
      run.pass(0.5)
      let report = run.environment.onDiagnostic
      let count = run.notes.count
      #expect(count > 0)
      for diagnostic in [
        .outputUnavailable("gone", retryAfter: 1), .outputUnavailable("gone", retryAfter: 2),
        .outputOpened(route: "x"), .stepsCoalesced(7),
      ] as [PlaybackDiagnostic] { report?(diagnostic) }
      #expect(run.notes.dropFirst(count) == [true, false, true, true])
    }
  }

  @Test("A retry that finds the output still unavailable wakes no client") func retriesWakeNobody() throws {
    try VirtualRun.with(songs: [10]) { run in
      let folder = try TemporaryFolder()
      let service = run.session.service
      let client = try ControlConnection(service.open(.bound(to: folder.file("socket"))))
      defer { service.close() }
      #expect(service.note(.outputUnavailable("gone", retryAfter: 1)))
      #expect(try client.ask("idle player options") == ["changed: player", "OK"])
      #expect(!service.note(.outputUnavailable("gone", retryAfter: 2)))
      try run.host.change { $0.setRepeat(true) }
      #expect(try client.ask("idle player options") == ["changed: options", "OK"])
    }
  }

  // MARK: Play

  /// What a run of `play` has come to.
  private struct Outcome {
    var lines: [String]
    var exits: [Int32]
    /// The names of the events.
    var events: [String] { lines.map { String($0.prefix { $0 != "," }.dropFirst(10).dropLast()) } }
    /// The lines of the events with these names, without their time.
    func lines(_ names: String...) -> [String] {
      zip(lines, events).filter { names.contains($1) }.map { line, _ in
        String(line[..<(line.range(of: ",\"host\":")?.lowerBound ?? line.endIndex)].dropFirst(10))
      }
    }
  }

  /// Runs `play` with these songs until `body` returns; what was written to `--events` then.
  private func play(
    modes: String = "audio", songs: [Double], problems: Int = 0, without: String? = nil,
    _ body: @MainActor (VirtualRun, PlayRun) throws -> Void
  ) throws -> Outcome {
    let folder = try TemporaryFolder()
    let path = folder.path + "/events"
    var outcome = Outcome(lines: [], exits: [])
    try VirtualRun.with(modes: modes, songs: songs) { run in
      let events = try EventWriter(path: path) { Issue.record("\($0)") }
      // Nothing of it goes to the standard output of the tests.
      let left = without.map { ["--events-without", $0] } ?? []
      let options = try Play.parse(["--events", "-", "x.mp3"] + left)
      let play = PlayRun(run.session, options: options, problems: problems, missing: [], events: events)
      play.start(probe: nil, socket: nil)
      try body(run, play)
      outcome.exits = run.exits
    }
    outcome.lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
    return outcome
  }

  @Test func theQueueIsPlayedToItsEnd() throws {
    let outcome = try play(songs: [0.2, 0.1]) { run, _ in run.pass(3) }
    #expect(outcome.exits == [0])
    #expect(outcome.events.last == "finished")
    #expect(outcome.events.prefix(4) == ["begin", "device", "applicationState", "applicationState"])
    #expect(outcome.events.count { $0 == "time" } == 30)
    #expect(outcome.events.count { $0 == "currentItem" } == 3)
    #expect(outcome.events.count { $0 == "didPlayToEndTime" } == 2)
  }

  /// The file alone says what was run, and when.
  @Test func theFirstLineHasTheRun() throws {
    let line = try #require(try play(songs: [0.1]) { run, _ in run.pass(0.5) }.lines.first)
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    #expect(object["event"] as? String == "begin" && object["version"] as? String == Version.number)
    #expect(object["arguments"] as? [String] == Array(CommandLine.arguments.dropFirst()))
    let clock = try #require(object["wallClock"] as? String)
    let date = try Date(clock, strategy: .iso8601.year().month().day().time(includingFractionalSeconds: true))
    #expect(abs(date.timeIntervalSinceNow) < 3600)
    #expect(line.hasSuffix(",\"host\":0.000000}"))
  }

  @Test func wallClocksAreInMilliseconds() {
    let line = EventLine.begin(
      arguments: ["a \"b\""], secondsSince1970: 1_777_622_400.25, host: HostTime(nanoseconds: 1_500_000_000))
    #expect(
      String(decoding: line.bytes, as: UTF8.self) == #"{"event":"begin","version":"\#(Version.number)","#
        + #""arguments":["a \"b\""],"wallClock":"2026-05-01T08:00:00.250Z","host":1.500000}"# + "\n")
  }

  /// Buttons, tasks, interruptions, what woke the application, and the report on its end.
  @Test func theEventsHaveWhatTheDrawingHas() throws {
    let outcome = try play(modes: "fetch", songs: [10]) { run, play in
      run.pass(0.5)
      play.perform(.interruptBegin)
      play.perform(.interruptEnd(resumes: false))
      play.perform(.seek(.absolute(.seconds(2))))
      play.perform(.taskBegin(name: "upload"))
      play.perform(.home)
      run.pass(1)
      play.perform(.taskEnd(name: "upload"))
      run.pass(1)
      play.perform(.fetch)
      run.pass(1)
      play.perform(.foreground)
      run.pass(0.5)
      play.perform(.pause)
      play.perform(.taskBegin(name: "forgotten"))
      play.perform(.home)
      run.pass(300)
    }
    // The list of names is that of the lines.
    #expect(Set(outcome.events).isSubset(of: EventNames.all))
    #expect(Set(EventNames.all).count == EventNames.all.count)
    #expect(
      outcome.lines("device").map { $0.dropFirst(16).dropLast() } == [
        "launch", "interrupt begin", "interrupt end noresume", "home", "fetch", "foreground", "home",
      ])
    #expect(
      outcome.lines("interruption") == [
        #"interruption","what":"began","shouldResume":null"#,
        #"interruption","what":"ended","shouldResume":false"#,
      ])
    #expect(outcome.lines("command") == [#"command","what":"seek 2.00""#, #"command","what":"pause""#])
    // Identifiers go on over all devices of a process.
    #expect(
      outcome.lines("backgroundTask").map { $0.replacing(/"id":\d+/, with: "ID") } == [
        #"backgroundTask","what":"began",ID,"name":"upload""#,
        #"backgroundTask","what":"ended",ID,"name":"upload""#,
        #"backgroundTask","what":"began",ID,"name":"forgotten""#,
      ])
    #expect(outcome.lines("fetchEnded") == [#"fetchEnded","result":"noData""#])
    let end = try #require(outcome.lines("terminated").first)
    #expect(end.hasPrefix(#"terminated","code":"0x2182bad2","reason":"no background time was left"#))
    #expect(end.contains(#""report":"Application terminated: 0x2182bad2\n  Reason: "#))
  }

  @Test func eventsCanBeLeftOut() throws {
    let outcome = try play(songs: [0.2], without: "time,loaded,device") { run, _ in run.pass(3) }
    #expect(Set(outcome.events).isDisjoint(with: ["time", "loaded", "device"]))
    #expect(outcome.events.contains("didPlayToEndTime") && outcome.events.last == "finished")
  }

  @Test func whatIsMissingIsInTheStatus() throws {
    #expect(try play(songs: [0.1], problems: 1) { run, _ in run.pass(3) }.exits == [1])
  }

  @Test func whoEndsTheApplicationEndsTheRun() throws {
    let outcome = try play(songs: [10]) { run, play in
      run.pass(0.5)
      play.perform(.terminate)
      run.pass(0.5)
    }
    #expect(outcome.exits == [0])
  }

  /// A client may launch it again, and then it goes on; the run's own end counts after that as before.
  @Test func anApplicationThatAClientHasEndedMayBeLaunchedAgain() throws {
    let outcome = try play(songs: [10]) { run, play in
      run.pass(1)
      for _ in 0..<2 {
        run.device.terminate()
        run.pass(0.5)
        #expect(run.exits.isEmpty && run.device.state == .notRunning)
        run.device.launch()
        run.pass(1)
        #expect(run.status == "play" && run.host.seconds > 1)
      }
      play.perform(.terminate)
      run.pass(0.5)
    }
    #expect(outcome.exits == [0])
  }

  @Test func aPunishmentEndsTheRun() throws {
    let outcome = try play(modes: "none", songs: [10]) { run, play in
      run.pass(0.5)
      play.perform(.pause)
      play.perform(.taskBegin(name: "forgotten"))
      play.perform(.home)
      run.pass(300)
    }
    #expect(outcome.exits == [ExitStatus.terminated.rawValue])
  }

  // MARK: Serve

  /// Runs `serve` with that state directory until `body` returns.
  private func serve(
    _ folder: String, songs: [Double], locators: [SongLocator] = [],
    _ body: @MainActor (VirtualRun) throws -> Void
  ) throws {
    try VirtualRun.with(songs: songs) { run in
      let state = try StateDirectory(path: MediaPath(folder))
      let serve = ServeRun(run.session, state: state)
      serve.launch()
      serve.queue(locators.map { Song($0) }, showsOnDesktop: false)
      try body(run)
      withExtendedLifetime(serve) {}
    }
  }

  @Test func filesArePlayedWhereThereIsNoQueue() throws {
    let folder = try TemporaryFolder()
    try serve(folder.path, songs: [], locators: ["/a.mp3", "/b.mp3"].map { SongLocator(MediaPath($0)) }) {
      run in
      #expect(run.host.read { $0.queue.count } == 2 && run.host.read { $0.state } == .playing)
    }
    try serve(folder.path, songs: [10], locators: [SongLocator(MediaPath("/a.mp3"))]) { run in
      run.pass(0.5)
      #expect(run.host.read { $0.queue.count } == 1 && run.host.read { $0.state } == .stopped)
    }
  }

  @Test func queueAndPlaceAreKeptAtTheEnd() throws {
    let folder = try TemporaryFolder()
    var seconds = 0.0
    try serve(folder.path, songs: [0.2, 10]) { run in
      try run.host.change { $0.play() }
      // Between two of the records that are written twice a second.
      run.pass(3.37)
      #expect(run.exits.isEmpty && run.position == 1)
      seconds = run.host.seconds
      run.session.end(143)
      #expect(run.exits == [143])
    }
    let kept = StateKeeper.load(try StateDirectory(path: MediaPath(folder.path))) { Issue.record("\($0)") }
    #expect(kept.queue.count == 2 && kept.state == .playing)
    #expect(abs(JukeboxHost(kept).seconds - seconds) < 0.01)
  }

  @Test func theEndOfTheQueueIsNoEnd() throws {
    let folder = try TemporaryFolder()
    try serve(folder.path, songs: [0.2]) { run in
      try run.host.change { $0.play() }
      run.pass(3)
      #expect(run.exits.isEmpty && run.host.read { $0.state } == .stopped)
    }
  }

  @Test func anEndedApplicationGoesOnWhenItIsLaunched() throws {
    let folder = try TemporaryFolder()
    try serve(folder.path, songs: [10]) { run in
      try run.host.change { $0.play() }
      run.pass(2)
      run.device.terminate()
      run.pass(1)
      #expect(run.session.service.application == nil && run.exits.isEmpty)
      run.device.launch()
      run.pass(1)
      #expect(run.status == "play" && run.host.seconds > 2)
    }
  }
}
