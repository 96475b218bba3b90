import Foundation

/// The behaviour of a music server with a remote song. Measures the wake-ups while a completely fetched song
/// is paused, and the response times while the song's server is silent.
struct NetworkServing {
  let bench: Bench
  let plan: ControlPlan
  let programs: [ServerProgram]

  /// The time in which wake-ups are counted, in seconds.
  private static let countedSeconds = 10.0
  /// The time limit for fetching the whole song, in seconds.
  private static let fetchLimit = 20.0
  /// The number of bytes after which the song's server falls silent: a multiple of the size of its pieces.
  private static let hangsAfter = 102_400

  func run() throws -> Table {
    guard let path = bench.files.first else { throw BenchError("there is no file") }
    let song = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    var table = Table(
      title: "Serving a song of http on loopback",
      header: [
        "server", "wake-ups/s, paused", "status p50 µs, file", "status p50 µs, song hangs", "beside file",
      ])
    for program in programs {
      Bench.say("network: \(program.name) serves")
      do {
        let paused = try pausedWakeUps(program, song)
        let file = try statusSeconds(program, path, after: { _ in })
        let media = try MediaServer(song, hangsAfter: Self.hangsAfter)
        defer { media.stop() }
        let hanging = try statusSeconds(program, media.url) { _ in
          try waitUntil("the song's server was asked", seconds: Self.fetchLimit) {
            media.bytesSent >= min(Self.hangsAfter, song.count)
          }
        }
        table.rows.append([
          program.name, fixed(paused, 2), fixed(file * 1e6, 1), fixed(hanging * 1e6, 1),
          ratio(hanging, to: file),
        ])
      } catch {
        table.failures.append("\(program.name): \(error)")
      }
    }
    table.notes = [
      "Wake-ups: voluntary context switches of all threads in \(fixed(Self.countedSeconds, 0)) s, the song fetched whole.",
      "status: \(grouped(plan.requests)) requests, the song playing. It hangs after \(Self.hangsAfter / 1_000) KB.",
    ]
    return table
  }

  private func pausedWakeUps(_ program: ServerProgram, _ song: [UInt8]) throws -> Double {
    let media = try MediaServer(song)
    defer { media.stop() }
    let server = try ControlServer(program, bench: bench)
    defer { server.stop() }
    let connection = try server.connect()
    try connection.ask("add \(media.url)")
    try server.play(by: connection)
    try connection.ask("pause 1")
    // mpd fetches only as much as its buffer holds, so the wait may time out. The server is at rest in either
    // case.
    try? waitUntil("the song was fetched", seconds: Self.fetchLimit) { media.bytesSent >= song.count }
    usleep(1_000_000)
    let before = try server.process.wakeUps()
    usleep(useconds_t(Self.countedSeconds * 1_000_000))
    let sum = try server.process.wakeUps().reduce(0) { $0 + $1.value - before[$1.key, default: 0] }
    return Double(sum) / Self.countedSeconds
  }

  /// Returns the median response time of `status` in seconds, while the song plays.
  private func statusSeconds(
    _ program: ServerProgram, _ song: String, after ready: (ControlConnection) throws -> Void
  ) throws -> Double {
    let server = try ControlServer(program, bench: bench)
    defer { server.stop() }
    let connection = try server.connect()
    try connection.ask(ControlServer.add(song))
    try connection.ask("repeat 1")
    try server.play(by: connection)
    try ready(connection)
    let request = Array("status\n".utf8)
    let times = try (0..<plan.requests).map { _ in
      let begin = monotonicSeconds()
      try connection.exchange(request)
      return monotonicSeconds() - begin
    }
    return Readings(times).median
  }
}

extension Child {
  /// The voluntary context switches so far, by thread.
  fileprivate func wakeUps() throws -> [String: Int] {
    let folder = "/proc/\(pid)/task"
    return try FileManager.default.contentsOfDirectory(atPath: folder).reduce(into: [:]) { counts, thread in
      let status = (try? String(contentsOfFile: "\(folder)/\(thread)/status", encoding: .utf8)) ?? ""
      let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
      counts[thread] = line.flatMap { Int($0.dropFirst(24).trimmingCharacters(in: .whitespaces)) }
    }
  }
}
