import Foundation

/// The server memory for each client and for each song.
struct ControlMemory {
  let bench: Bench
  let plan: ControlPlan
  let queues: QueueServers

  private struct Reading {
    var oneMB: Double
    var allMB: Double
    /// The memory for each additional client, in kilobytes.
    var perClient: Double { (allMB - oneMB) * 1_000 / Double(ControlPlan.clients - 1) }
  }

  func run() throws -> Table {
    let (readings, failures) = bench.collect("memory", queues.programs, name: { $0.name }, measure: measure)
    let filled = try queues.servers(with: plan.largeQueue)
    func perSong(_ name: String) -> Double? {
      filled.first { $0.server.name == name }.map { ($0.fullMB - $0.emptyMB) * 1e6 / Double($0.songs) }
    }
    func perClient(_ name: String) -> Double? { readings[name].map { Readings($0.map(\.perClient)).median } }
    let clients = ControlPlan.clients
    var table = Table(
      title: "Resident memory of the server in MB (\(bench.rounds) rounds; the queue once)",
      header: [
        "server", "1 client", "\(clients) clients", "kB/client", "to mpd",
        "\(grouped(plan.largeQueue)) songs", "bytes/song", "to mpd",
      ])
    for program in queues.programs {
      let all = readings[program.name] ?? []
      let song = perSong(program.name) ?? .nan, client = perClient(program.name) ?? .nan
      let full = filled.first { $0.server.name == program.name }?.fullMB ?? .nan
      table.rows.append([
        program.name, fixed(Readings(all.map(\.oneMB)).median, 1),
        fixed(Readings(all.map(\.allMB)).median, 1), fixed(client, 1),
        ratio(client, to: perClient("mpd")), fixed(full, 1), fixed(song, 0), ratio(song, to: perSong("mpd")),
      ])
    }
    table.failures = failures
    let text = Set(filled.map(\.textBytes)).sorted().map(String.init).joined(separator: " or ")
    table.notes = [
      "VmRSS. A client has asked for status and for the first songs of the queue.",
      "bytes/song: everything, \(text) bytes of name and tags included. All songs have the same tags.",
    ]
    return table
  }

  private func measure(_ program: ServerProgram) throws -> Reading {
    let server = try ControlServer(program, bench: bench)
    defer { server.stop() }
    let first = try server.connect()
    try server.add(bench.files, by: first)
    func use(_ client: ControlConnection) throws {
      for line in ["status", "currentsong", "playlistinfo 0:50"] { try client.ask(line) }
    }
    try use(first)
    let one = try server.residentMB()
    let others = try (1..<ControlPlan.clients).map { _ in
      let client = try server.connect()
      try use(client)
      return client
    }
    return try withExtendedLifetime(others) { Reading(oneMB: one, allMB: try server.residentMB()) }
  }
}
