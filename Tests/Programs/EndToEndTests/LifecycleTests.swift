import Foundation
import FoundationXML
import PulseOutput
import PulseTestSupport
import Testing

extension EndToEndTests {
  /// What the system does to the application beside the home button: tasks, interruptions, terminations.
  @Suite struct LifecycleTests {
    /// A player with one song and a schedule, and what is heard of it.
    struct Run {
      var player: Player
      var status: Int32
      var song: Song
      var heard: Sound
      var reference: Sound
      var states: [String]
    }

    private func run(_ studio: Studio, _ song: Song, _ arguments: [String]) async throws -> Run {
      let path = try await song.write(into: studio.folder)
      let server = try studio.startServer()
      let capture = try await studio.capture(server.address)
      let player = try studio.play([path] + arguments, server: server)
      let end = try await player.ended()
      let states = player.events.events.compactMap { event in
        if case .applicationState(let state) = event { state } else { nil }
      }
      return Run(
        player: player, status: end.status, song: song,
        heard: Sound(try await capture.untilSilence()).trimmed,
        reference: try await Sound.mpg123([path]).trimmed, states: states)
    }

    private func at(_ commands: String...) -> [String] { commands.flatMap { ["--at", $0] } }

    /// The events between the first of that state and the next state.
    private func events(during state: String, of player: Player) throws -> [SeenEvent] {
      let events = player.events
      let start = try #require(events.firstIndex { $0.event == .applicationState(state) })
      return Array(events[(start + 1)...].prefix { $0.event.isOfThePlayer })
    }

    private func reports(_ studio: Studio) -> [String] {
      let folder = "\(studio.folder)/.local/state/continuo/reports"
      return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted().map {
        "\(folder)/\($0)"
      }
    }

    // MARK: Tasks

    @Test func playsOnUntilTheTaskEnds() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let run = try await run(
        studio, Song(duration: 5, seed: 11),
        ["--background-modes", "none"]
          + at("0.1:task begin upload", "0.3:home", "0.9:task end upload", "3.9:foreground"))
      #expect(run.status == 0)
      expectSame(run.heard.withoutSilence, run.reference.withoutSilence, "both parts together")
      #expect(
        run.states == ["inactive", "active", "inactive", "background", "suspended", "inactive", "active"])
      // It stopped at the end of the task and not before, and nothing ran from then on.
      let silence = run.heard.longestSilence
      print("task: silent from \(Double(silence.start) / 44100) s for \(Double(silence.count) / 44100) s")
      #expect((0.75..<5).contains(Double(silence.start) / 44100))
      #expect(Double(silence.count) / 44100 > 0.1)
      let background = try events(during: "background", of: run.player)
      #expect(background.steps(of: 0).count > 3)
      #expect(try events(during: "suspended", of: run.player).isEmpty)
      #expect(run.player.events.steps(of: 0).map(\.value) == run.song.steps)
      #expect(reports(studio).isEmpty)
    }

    @Test func aTaskThatIsNeverEndedCostsTheApplicationItsLife() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let drawing = "\(studio.folder)/run.svg"
      let run = try await run(
        studio, Song(duration: 6, bitRate: 64, seed: 12),
        ["--background-modes", "none", "--background-time", "0.6", "--timeline", drawing]
          + at("0.1:task begin backup of <all> & more", "0.4:home"))
      #expect(run.status == 70)
      #expect(run.states == ["inactive", "active", "inactive", "background", "notRunning"])
      // A piece of the beginning was heard, and nothing after the end.
      let seconds = Double(run.heard.frames.count) / 44100
      print("expired: heard \(seconds) s")
      #expect((0.8..<5).contains(seconds))
      expectSame(run.heard, run.reference[0..<min(run.heard.frames.count, run.reference.frames.count)])
      #expect(run.player.events.last?.event == .applicationState("notRunning"))

      let reports = reports(studio)
      #expect(reports.count == 1)
      let path = try #require(reports.first)
      let report = try String(contentsOfFile: path, encoding: .utf8)
      for text in ["0x2182bad2", "backup of <all> & more", "0.60 s", "background"] {
        #expect(report.contains(text))
      }
      let errors = run.player.log.value.errors
      #expect(errors.joined(separator: "\n").contains(report.split(separator: "\n")[1]))
      #expect(errors.last == "continuo: the report is in \(path)")
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
      #expect(mode?.intValue == 0o600)

      // The drawing is there although the end came from the system.
      let bands = try Drawing(path: drawing)
      let (start, end) = try #require(
        bands.span("task backup of <all> & more, ", ", open at the termination"))
      let (shown, hidden) = try #require(bands.span("background, "))
      #expect(start < shown && end == hidden)
      #expect(bands.titles.contains { $0.hasPrefix("0x2182bad2: backup of <all> & more") })
    }

    // MARK: Interruptions

    @Test(arguments: [true, false]) func anInterruptionPauses(resumes: Bool) async throws {
      let studio = try Studio()
      defer { studio.close() }
      let run = try await run(
        studio, Song(duration: 4, seed: 13),
        at("0.4:interrupt begin", "1.4:interrupt end \(resumes ? "resume" : "noresume")", "3:play"))
      #expect(run.status == 0)
      expectSame(run.heard.withoutSilence, run.reference.withoutSilence, "both parts together")
      let silence = Double(run.heard.longestSilence.count) / 44100
      print("interrupted: silent for \(silence) s")
      // Without permission it is a person who lets it go on.
      #expect(silence > (resumes ? 0.1 : 1.2))
      #expect(run.states == ["inactive", "active", "inactive", "active"])
      #expect(run.player.events.steps(of: 0).map(\.value) == run.song.steps)
      // Time stands still in between.
      #expect(run.player.events.longestWait(of: 0) > silence / 2)
    }

    /// A call that the user looks past, in every order that leaves it to go on in front: the sound is the call's until
    /// that ends, and goes on then.
    @Test(
      arguments: [
        ["0.3:home", "0.5:interrupt begin", "0.7:foreground", "3:interrupt end resume"],
        ["0.3:interrupt begin", "0.5:home", "0.7:foreground", "3:interrupt end resume"],
        ["0.3:interrupt begin", "0.5:lock", "0.7:unlock", "3:interrupt end resume"],
        ["0.3:interrupt begin", "0.7:foreground", "3:interrupt end noresume", "3.1:play"],
        ["0.3:interrupt begin", "0.5:foreground", "0.6:interrupt begin", "3:interrupt end resume"],
      ], ["audio", "none"])
    func aCallThatTheUserLooksPastGivesTheSoundBack(commands: [String], modes: String) async throws {
      let studio = try Studio()
      defer { studio.close() }
      let run = try await run(
        studio, Song(duration: 3, seed: 31),
        ["--background-modes", modes] + commands.flatMap { ["--at", $0] } + at("0.8:play"))
      #expect(run.status == 0)
      expectSame(run.heard.withoutSilence, run.reference.withoutSilence, "all parts together")
      let silence = Double(run.heard.longestSilence.count) / 44100
      print("\(commands.joined(separator: ", ")): silent for \(silence) s")
      #expect(silence > 0.1)
      #expect(run.player.events.steps(of: 0).map(\.value) == run.song.steps)
      #expect(run.player.events.isQuietWhileSuspended)
    }

    /// Whatever was asked for in the instant of the home button is done when the application runs again.
    @Test(arguments: [
      ["pause", "play"], ["play"], ["seek 0.7", "play"], ["pause", "play", "pause", "play"], ["volume 100"],
      ["toggle", "toggle"],
    ])
    func whatIsAskedForWithTheHomeButtonIsDone(commands: [String]) async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 3, seed: 32).write(into: studio.folder)
      for press in ["home", "lock"] {
        let player = try studio.play(
          [path, "--output", "simulated", "--background-modes", "none"]
            + (commands + [press]).flatMap { ["--at", "0.4:\($0)"] } + at("0.6:foreground"))
        #expect(try await player.ended().status == 0)
        let events = player.events
        #expect(events.last?.event == .finished)
        #expect(events.isQuietWhileSuspended)
        let steps = events.steps(of: 0).map(\.value)
        if !commands.contains("seek 0.7") { #expect(steps == Song(duration: 3).steps) }
      }
    }

    @Test(arguments: ["pulse", "simulated"]) func nothingRunsBeforeSuspendedIsLeft(output: String)
      async throws
    {
      let studio = try Studio()
      defer { studio.close() }
      let song = Song(duration: 3, seed: 33)
      let path = try await song.write(into: studio.folder)
      let server = output == "pulse" ? try studio.startServer() : nil
      let player = try studio.play(
        [path, "--background-modes", "none"] + (output == "pulse" ? [] : ["--output", output])
          + at(
            "0.3:home", "3.3:interrupt begin", "3.5:foreground", "3.6:home", "6.6:interrupt end resume",
            "6.7:foreground"), server: server)
      #expect(try await player.ended().status == 0)
      let events = player.events
      #expect(events.isQuietWhileSuspended)
      #expect(events.events.filter { $0 == .applicationState("suspended") }.count == 2)
      #expect(events.steps(of: 0).map(\.value) == song.steps)
    }

    // MARK: Terminations

    @Test(arguments: ["terminate", "home, terminate"]) func launchGoesOnWhereItStopped(way: String)
      async throws
    {
      let studio = try Studio()
      defer { studio.close() }
      let songs = [
        Song(duration: 0.5, seed: 14), Song(duration: 4, seed: 15), Song(duration: 0.4, seed: 16),
      ]
      var paths: [String] = []
      for song in songs { paths.append(try await song.write(into: studio.folder)) }
      let server = try studio.startServer()
      let capture = try await studio.capture(server.address)
      let suspended = way == "home, terminate"
      let player = try studio.play(
        paths + ["--background-modes", "none"]
          + (suspended ? at("1.0:home", "4:terminate") : at("1.0:terminate")) + at("4.5:launch"),
        server: server)
      #expect(try await player.ended().status == 0)
      let heard = Sound(try await capture.untilSilence()).trimmed
      let reference = try await Sound.mpg123(paths).withoutSilence

      let silence = heard.longestSilence
      let first = heard[0..<silence.start].withoutSilence
      let second = heard[(silence.start + silence.count)..<heard.frames.count].withoutSilence
      expectSame(first, reference[0..<first.frames.count], "before the termination")
      let place = try #require(second.place(in: reference))
      expectSame(second, reference[place..<reference.frames.count], "after the launch")
      let difference = Double(place - first.frames.count) / 44100
      print("\(way): \(difference) s between what was heard last and the first frame after the launch")
      // The block that the sink was playing at the time.
      #expect(abs(difference) < 0.5)

      let events = player.events
      let states = events.events.compactMap { event in
        if case .applicationState(let state) = event { state } else { nil }
      }
      #expect(
        states == ["inactive", "active"] + (suspended ? ["inactive", "background", "suspended"] : [])
          + ["notRunning", "inactive", "active"])
      #expect(try self.events(during: "notRunning", of: player).isEmpty)
      let items = events.events.compactMap { event in
        if case .currentItem(let index, _) = event { index } else { nil }
      }
      #expect(items == [0, 1, 1, 2])
      #expect(events.events.filter { if case .didPlayToEndTime = $0 { true } else { false } }.count == 3)
      #expect(events.last?.event == .finished)
      #expect(reports(studio).isEmpty)
    }

    @Test func whatWasPausedIsPausedAfterTheLaunch() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let run = try await run(
        studio, Song(duration: 3, seed: 17),
        at("0.3:pause", "0.5:volume 50", "0.6:terminate", "0.8:launch", "3:volume 100", "3.1:play"))
      #expect(run.status == 0)
      let silence = run.heard.longestSilence
      #expect(Double(silence.count) / 44100 > 0.5)
      #expect(run.states == ["inactive", "active", "notRunning", "inactive", "active"])
      // The position did not move, and the block at the pause is not heard twice.
      expectSame(run.heard.withoutSilence, run.reference.withoutSilence, "both parts together")
    }

    @Test func withoutALaunchATerminationIsTheEnd() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let run = try await run(
        studio, Song(duration: 6, bitRate: 64, seed: 18), at("0.4:terminate", "5:play"))
      #expect(run.status == 0)
      #expect(run.states == ["inactive", "active", "notRunning"])
      #expect(Double(run.heard.frames.count) / 44100 < 4)
      #expect(reports(studio).isEmpty)
    }

    @Test func anOpenTaskAndALaunch() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let drawing = "\(studio.folder)/run.svg"
      let run = try await run(
        studio, Song(duration: 4, seed: 19),
        ["--background-modes", "none", "--background-time", "0.4", "--timeline", drawing]
          + at("0.1:task begin", "0.3:home", "4:launch"))
      #expect(run.status == 0)
      #expect(
        run.states == ["inactive", "active", "inactive", "background", "notRunning", "inactive", "active"])
      #expect(reports(studio).count == 1)

      // Every band is where the events say that it was.
      let bands = try Drawing(path: drawing)
      let events = run.player.events
      let zero = try #require(events.host(of: .timeControlStatus("playing", reason: nil)))
      let gone = try #require(events.host(of: .applicationState("notRunning"))) - zero
      let hidden = try #require(events.host(of: .applicationState("background"))) - zero
      let back = try #require(events.last { $0.event == .applicationState("active") }).host - zero
      func expect(_ title: String, _ start: Double, _ end: Double) throws {
        let span = try #require(bands.span(title), "no \(title)in \(bands.titles)")
        #expect(
          abs(span.start - start) < 0.5 && abs(span.end - end) < 0.5,
          "\(title)\(span), not \(start) to \(end)")
      }
      try expect("background, ", hidden, gone)
      try expect("not running, ", gone, back)
      try expect("sound, 0 to", 0, gone)
      let task = try #require(bands.span("task task, ", ", open at the termination"))
      #expect(0.1 <= task.start && task.start < hidden && abs(task.end - gone) < 0.5, "\(task)")
      #expect(bands.titles.filter { $0.hasPrefix("sound, ") }.count == 2)
      #expect(bands.titles.contains { $0.hasPrefix("launch, at") })
    }

    // MARK: Drawings

    @Test(arguments: [SIGTERM, SIGINT]) func aSignalLeavesADrawing(signal: Int32) async throws {
      let studio = try Studio()
      defer { studio.close() }
      let drawing = "\(studio.folder)/run.svg"
      let path = try await Song(duration: 30, bitRate: 64).write(into: studio.folder)
      let player = try studio.play([path, "--null-sink", "--timeline", drawing])
      try await player.reached(50)
      #expect(!FileManager.default.fileExists(atPath: drawing))
      let ending = try await player.ended(by: signal)
      #expect(ending.end.status == 128 + signal)
      let span = try #require(try Drawing(path: drawing).span("sound, "))
      #expect(span.start == 0 && span.end > 0.4)
    }

    @Test func aDrawingThatCannotBeWrittenIsSaidAtOnce() async throws {
      let studio = try Studio()
      defer { studio.close() }
      let path = try await Song(duration: 5, bitRate: 64).write(into: studio.folder)
      for place in ["/no/such/folder/x.svg", "/dev/null", studio.folder] {
        let player = try studio.play([path, "--null-sink", "--timeline", place])
        #expect(try await player.ended().status == 64)
        #expect(player.log.value.errors.count == 1)
        #expect(player.log.value.errors.first?.hasPrefix("continuo: --timeline \(place): ") == true)
      }
    }
  }
}

/// What pops up over the bands of a drawing.
private struct Drawing {
  let titles: [String]

  init(path: String) throws {
    let document = try XMLDocument(contentsOf: URL(fileURLWithPath: path))
    titles = try document.nodes(forXPath: "//*[local-name()='title']").compactMap(\.stringValue)
  }

  /// The two times in the first title that begins with one text and ends with the other.
  func span(_ beginning: String, _ ending: String = "") -> (start: Double, end: Double)? {
    guard let title = titles.first(where: { $0.hasPrefix(beginning) && $0.hasSuffix(ending) }) else {
      return nil
    }
    let numbers = title.dropLast(ending.count).split(whereSeparator: { $0 == " " || $0 == "," }).suffix(4)
    // As in "0.4 to 1.25 s".
    guard numbers.count == 4, let first = numbers.first, let start = Double(first),
      let end = Double(numbers[numbers.startIndex + 2])
    else { return nil }
    return (start, end)
  }
}
