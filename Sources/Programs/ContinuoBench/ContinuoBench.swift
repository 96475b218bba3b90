import ArgumentParser
import Foundation

/// Compares Continuo with the installed players: sound in `Playback/`, the network in `Network/` and the
/// control socket in `Control/`. `Support/` contains the common parts.
@main
struct ContinuoBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "continuo-bench",
    abstract: "Compares Continuo with mpg123, mpd, mpv and ffplay, if they are installed.",
    discussion: """
      The contenders take turns in one run, on a private PulseAudio server with a null sink. Nothing is audible, and \
      your servers and settings are not touched. Progress goes to standard error, tables to standard output.

      Measurements of playback:
        instructions  of a second, a time step and a start; fails at 1.1 times the committed counts (valgrind, lame)
        cpu     CPU seconds and peak memory of playback, whole process
        start   from process start to first sound in the sink's monitor; paplay shows the floor
        render  speed of rendering to a file, beside mpg123 -t and -w
        jitter  Continuo's 1/100 s observer: time of each call against the time its frame is heard
        network from a server on loopback: start, bytes before sound, a large cover, CPU and memory, requests

      Measurements of the control socket, continuo serve and mpd (all of them: --only control):
        roundtrip  from request to answer: ping, status, currentsong, paused and playing
        crowd      100 clients that send status as fast as they can
        watch      50 clients that follow the time in steps of 1/100 s
        add        adding 10,000 songs; requests in queues of 100 and of 100,000 songs
        memory     server memory for each client and for each song

      Needs pulseaudio and pulseaudio-utils (parec, pactl, paplay). On Debian, for all contenders:
        apt-get install pulseaudio pulseaudio-utils mpg123 mpd mpv ffmpeg

      Examples:
        CONTINUO_BENCH=1 swift run -c release continuo-bench --quick
        CONTINUO_BENCH=1 swift run -c release continuo-bench --only cpu --only continuo --only mpg123 --rounds 5
        continuo-bench --only jitter --seconds 60 --media ~/Music/long.mp3
        continuo-bench --only control --rounds 5

      Exit status: 0, or 1 if a measurement of an installed contender failed.
      """)

  static let controlName = "control"
  static let contenders = ["continuo", "continuo+observer", "mpg123", "mpd", "mpv", "ffplay"]

  @Flag(help: "Short run of about two minutes: 4 s of playback, 1 round, 3 starts, shorter queues.")
  var quick = false

  @Option(
    help: ArgumentHelp(
      "Number of rounds; starts: three times as many; short rounds: twice as many.", valueName: "n"))
  var rounds: Int?

  @Option(help: ArgumentHelp("Duration of cpu, jitter, crowd and watch in seconds.", valueName: "n"))
  var seconds: Double?

  @Option(
    help: ArgumentHelp(
      "Run only this: one of \(Measurement.allCases.map(\.rawValue).joined(separator: ", ")), \(controlName) for the last "
        + "five, or a contender: \(contenders.joined(separator: ", ")). Repeatable.", valueName: "name"))
  var only: [String] = []

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "MP3 files to play (default: Media/*.mp3). In total longer than --seconds.", valueName: "file"))
  var media: [String] = []

  @Option(
    help: ArgumentHelp("Path of the continuo executable (default: beside this one).", valueName: "path"))
  var continuo: String?

  func validate() throws {
    let known = Measurement.allCases.map(\.rawValue) + [Self.controlName] + Self.contenders
    if let unknown = only.first(where: { !known.contains($0) }) {
      throw ValidationError("'\(unknown)' is none of \(known.joined(separator: ", ")).")
    }
    if let continuo, access(continuo, X_OK) != 0 { throw ValidationError("Cannot run \(continuo).") }
    guard rounds.map({ (1...1_000).contains($0) }) ?? true else {
      throw ValidationError("--rounds is 1 to 1000.")
    }
    guard seconds.map({ (2...3_600).contains($0) }) ?? true else {
      throw ValidationError("--seconds is 2 to 3600.")
    }
  }

  func run() throws {
    let signals = Takedown.shared.listen()
    defer { withExtendedLifetime(signals) { Takedown.shared.everything() } }
    let (bench, missing) = try makeBench()
    let named = only.flatMap { name in
      name == Self.controlName ? Measurement.control : Measurement(rawValue: name).map { [$0] } ?? []
    }
    let chosen = Measurement.allCases.filter { named.isEmpty || named.contains($0) }
    describe(bench, missing)

    var failed = false
    func report(_ measurement: Measurement, _ measure: () throws -> Table) {
      do {
        let table = try measure()
        Bench.show(table.text)
        failed = failed || !table.failures.isEmpty
      } catch {
        Bench.show("\(measurement.rawValue): \(error)\n")
        failed = true
      }
    }
    let canCount = !only.isEmpty || bench.tools.path("valgrind") != nil
    if chosen.contains(.instructions), canCount, let continuo = bench.continuo {
      report(.instructions, InstructionCounts(bench: bench, continuo: continuo).run)
    }
    if chosen.contains(.render) { report(.render, RenderSpeed(bench: bench).run) }
    if chosen.contains(where: Measurement.playback.contains) {
      let server = try AudioServer(scratch: bench.scratch, tools: bench.tools)
      defer { server.stop() }
      if chosen.contains(.cpu) { report(.cpu, PlaybackCost(bench: bench, server: server).run) }
      if chosen.contains(.start) { report(.start, FirstSound(bench: bench, server: server).run) }
      if chosen.contains(.network) { report(.network, NetworkCost(bench: bench, server: server).run) }
      if chosen.contains(.jitter), let continuo = bench.continuo {
        report(.jitter, ObserverJitter(bench: bench, server: server, continuo: continuo).run)
      }
    }
    let plan = ControlPlan(quick: quick, seconds: seconds), programs = serverPrograms(bench)
    if chosen.contains(.network) {
      report(.network, NetworkServing(bench: bench, plan: plan, programs: programs).run)
    }
    let control = chosen.filter(Measurement.control.contains)
    if !control.isEmpty {
      ControlBench(bench: bench, plan: plan, programs: programs).run(control, report: report)
    }
    if failed { throw ExitCode.failure }
  }

  private func makeBench() throws -> (Bench, missing: [String]) {
    let tools = Tools()
    let named = only.filter(Self.contenders.contains)
    func wanted(_ name: String) -> Bool { named.isEmpty || named.contains(name) }
    var players: [any Player] = []
    var missing: [String] = []

    let beside = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
      .map { URL(fileURLWithPath: $0).deletingLastPathComponent() }
    let path = continuo.map { URL(fileURLWithPath: $0) } ?? (own ?? beside).appendingPathComponent("continuo")
    let here = access(path.path, X_OK) == 0 ? path.path : nil
    if let here {
      if wanted("continuo") { players.append(CommandPlayer.continuo(here)) }
      if wanted("continuo+observer") { players.append(CommandPlayer.continuoObserved(here)) }
    } else {
      missing.append("continuo (\(path.path))")
    }
    for (name, make) in [
      ("mpg123", { CommandPlayer.mpg123($0) }), ("mpd", { MPDPlayer(path: $0) }),
      ("mpv", { CommandPlayer.mpv($0) }), ("ffplay", { CommandPlayer.ffplay($0) }),
    ] as [(String, (String) -> any Player)] {
      guard let path = tools.path(name) else {
        missing.append(name)
        continue
      }
      if wanted(name) { players.append(make(path)) }
    }
    let bench = Bench(
      tools: tools, scratch: try Takedown.shared.makeScratch(), files: try files(),
      seconds: seconds ?? (quick ? 4 : 30), rounds: rounds ?? (quick ? 1 : 3),
      starts: rounds.map { $0 * 3 } ?? (quick ? 3 : 10), players: players,
      continuo: wanted("continuo") || wanted("continuo+observer") ? here : nil,
      mpg123: wanted("mpg123") ? tools.path("mpg123") : nil)
    return (bench, missing)
  }

  private func serverPrograms(_ bench: Bench) -> [ServerProgram] {
    let mpd = only.contains("mpd") || !only.contains(where: Self.contenders.contains)
    return [bench.continuo.map { .continuo($0) }, mpd ? bench.tools.path("mpd").map { .mpd($0) } : nil]
      .compactMap { $0 }
  }

  private func files() throws -> [String] {
    let paths =
      media.isEmpty
      ? ((try? FileManager.default.contentsOfDirectory(atPath: "Media")) ?? []).filter {
        $0.hasSuffix(".mp3")
      }.sorted().map { "Media/" + $0 } : media
    guard !paths.isEmpty else { throw ValidationError("No Media/*.mp3 here: name files with --media.") }
    if let unreadable = paths.first(where: { access($0, R_OK) != 0 }) {
      throw ValidationError("Cannot read \(unreadable).")
    }
    return paths.map { URL(fileURLWithPath: $0).standardizedFileURL.path }
  }

  private func describe(_ bench: Bench, _ missing: [String]) {
    var load = [0.0, 0, 0]
    getloadavg(&load, 3)
    Bench.show(
      "\(ProcessInfo.processInfo.activeProcessorCount) processors, load \(fixed(load[0], 1)) at the start; "
        + "\(bench.files.count) files, \(fixed(bench.seconds, 0)) s, \(bench.rounds) rounds")
    Bench.show(missing.isEmpty ? "missing: nothing\n" : "missing: \(missing.joined(separator: ", "))\n")
  }
}
