import Clocks
import Foundation
import PulseOutput
import PulseTestSupport
import TestSupport
import Testing

/// Where a test runs players: a folder, servers, captures. `close` takes it all down and looks for what was left.
final class Studio {
  private let temporary: TemporaryFolder
  private var servers: [PrivatePulseServer] = []
  private var captures: [MonitorCapture] = []
  private var players: [Player] = []

  /// The name of the null sinks.
  static let sink = "continuo"

  init() throws {
    temporary = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: runtimeFolder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  /// For the test's files.
  var folder: String { temporary.path }
  /// What players find in XDG_RUNTIME_DIR.
  var runtimeFolder: String { "\(folder)/run" }

  /// Starts a server with a null sink that shows in its monitor what is heard, sample by sample.
  func startServer(
    format: MonitorCapture.SampleFormat = .float32, noRewinds: Bool = true
  ) throws -> PrivatePulseServer {
    var configuration = PrivatePulseServer.Configuration()
    configuration.sink = Self.sink
    configuration.sampleFormat = format.rawValue
    configuration.noRewinds = noRewinds
    let server = try PrivatePulseServer(configuration)
    servers.append(server)
    return server
  }

  /// Captures a server's sink from now on.
  func capture(
    _ address: String, sink: String = Studio.sink, format: MonitorCapture.SampleFormat = .float32
  ) async throws -> MonitorCapture {
    let capture = try MonitorCapture(address: address, sink: sink, format: format)
    captures.append(capture)
    try await capture.started()
    return capture
  }

  /// Runs `continuo play` with these arguments. It sees nothing of the user's: no server, no settings.
  func play(
    _ arguments: [String], server: PrivatePulseServer? = nil, environment: [String: String] = [:],
    hasEvents: Bool = true, eventPipeBytes: Int32? = nil, input: String = "", terminal: PseudoTerminal? = nil
  ) throws -> Player {
    let address = server.map { ["--server", $0.address] } ?? []
    let player = try Player(
      ["play"] + address + arguments, environment: self.environment.merging(environment) { $1 },
      folder: folder,
      hasEvents: hasEvents, eventPipeBytes: eventPipeBytes, input: input, terminal: terminal)
    players.append(player)
    return player
  }

  /// Runs `continuo serve` with these arguments and waits until it listens.
  func serve(
    _ arguments: [String], server: PrivatePulseServer? = nil, environment: [String: String] = [:]
  ) async throws -> Player {
    let player = try beginServing(arguments, server: server, environment: environment)
    _ = try await player.log.wait(for: "a server that listens") { log in
      log.errors.contains { $0.contains("listening at") }
    }
    return player
  }

  /// Runs `continuo serve` with these arguments and waits for nothing: it may yet refuse.
  func beginServing(
    _ arguments: [String], server: PrivatePulseServer? = nil, environment: [String: String] = [:]
  ) throws -> Player {
    let address = server.map { ["--server", $0.address] } ?? []
    let player = try Player(
      ["serve", "--socket", socketPath] + address + arguments,
      environment: self.environment.merging(environment) { $1 }, folder: folder, hasEvents: false)
    players.append(player)
    return player
  }

  /// A client of a server that begins, as soon as its socket takes one.
  func firstClient(limit: Double = 120) async throws -> Conversation {
    let end = Date().addingTimeInterval(limit)
    while true {
      if let client = try? Conversation(socketPath) { return client }
      guard Date() < end else { throw Failure("no socket at \(socketPath)") }
      try await Task.sleep(for: .milliseconds(1))
    }
  }

  /// Where `serve` listens.
  var socketPath: String { "\(folder)/control/socket" }

  /// What players find in their environment.
  var environment: [String: String] {
    searchPaths.merging([
      "HOME": folder, "XDG_RUNTIME_DIR": runtimeFolder, "LC_ALL": "C.UTF-8", "TERM": "xterm",
    ]) { $1 }
  }

  /// Plays songs on a server of their own to the end: their files, the player, and what was heard.
  func playThrough(_ songs: [Song]) async throws -> ([String], Player, MonitorCapture.Recording) {
    var paths: [String] = []
    for song in songs { paths.append(try await song.write(into: folder)) }
    let server = try startServer()
    let capture = try await capture(server.address)
    let player = try play(paths, server: server)
    guard try await player.ended().status == 0 else { throw Failure("\(player.log.value)") }
    return (paths, player, try await capture.untilSilence())
  }

  /// Writes a file and returns its path.
  func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> String {
    try temporary.write(name, bytes)
  }

  /// Processes that players started and that still run, and what is in their runtime folder.
  func leftovers() -> [String] {
    let own = Set(players.map(\.child.identifier))
    let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    let strays = processes.compactMap { name -> String? in
      guard let identifier = pid_t(name), !own.contains(identifier),
        let environment = FileManager.default.contents(atPath: "/proc/\(name)/environ"),
        environment.range(of: Data("\(runtimeFolder)".utf8)) != nil
      else { return nil }
      let command = FileManager.default.contents(atPath: "/proc/\(name)/cmdline") ?? Data()
      return
        "process \(name): \(String(decoding: command.map { $0 == 0 ? 32 : $0 }, as: UTF8.self).prefix(80))"
    }
    // libpulse makes this folder for any program that looks for the user's server, and leaves it, empty.
    rmdir("\(runtimeFolder)/pulse")
    // And Continuo makes this one for its socket; another player may just be about to use it.
    rmdir("\(runtimeFolder)/continuo")
    let files = (try? FileManager.default.contentsOfDirectory(atPath: runtimeFolder)) ?? []
    return strays + files.map { "file \($0)" }
  }

  /// Waits until nothing is left of players that were killed.
  func becomesClean(limit: Double = 120) async throws {
    let start = SystemClock.shared.now
    while !leftovers().isEmpty {
      guard SystemClock.shared.now.seconds(since: start) < limit else {
        throw Failure("left behind after \(limit) s: \(leftovers())")
      }
      // Nobody tells of the end of a stranger's child.
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// Ends everything. Players that ended by themselves must have left nothing behind.
  func close(sourceLocation: SourceLocation = #_sourceLocation) {
    let wereKilled = players.contains { $0.child.end == nil || $0.child.end?.status == 128 + SIGKILL }
    for player in players { player.kill() }
    if !wereKilled { #expect(leftovers().isEmpty, sourceLocation: sourceLocation) }
    for player in players {
      for line in player.log.value.strayLines {
        Issue.record("not an event: \(line)", sourceLocation: sourceLocation)
      }
    }
    for capture in captures { capture.stop() }
    for server in servers { server.stop() }
    temporary.remove()
  }
}
