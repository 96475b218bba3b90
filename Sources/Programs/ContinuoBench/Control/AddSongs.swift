import Foundation

/// The time to add many songs: with one command after the other, and with a single command list.
struct AddSongs {
  let bench: Bench
  let plan: ControlPlan
  let programs: [ServerProgram]

  private struct Reading {
    /// The times in seconds until the last reply, and until the last song's tags are known.
    var answered: Double
    var tagged: Double
    var cpu: Double
  }
  private enum Way: String, CaseIterable {
    case single = "one by one"
    case list = "one list"
  }
  private struct Key: Hashable {
    var server: String
    var way: Way
  }

  func run() throws -> Table {
    let servers = try ControlServers(programs, bench: bench)
    defer { servers.stop() }
    let songs = try SongLinks.make(plan.added, of: bench.files, in: bench.scratch + "/added")
    var readings: [Key: [Reading]] = [:]
    var failures: [String] = []
    for round in 0..<bench.rounds {
      for way in Way.allCases {
        for server in Bench.rotated(servers.all, by: round) {
          Bench.say("add: round \(round + 1) of \(bench.rounds), \(server.name) \(way.rawValue)")
          do {
            readings[Key(server: server.name, way: way), default: []].append(try measure(server, way, songs))
          } catch {
            failures.append("\(server.name), \(way.rawValue): \(error)")
          }
        }
      }
    }
    var table = Table(
      title: "Adding \(grouped(plan.added)) songs (\(bench.rounds) rounds)",
      header: [
        "way", "answered s", "min…max", "songs/s", "to mpd", "tags known s", "to mpd", "CPU s", "to mpd",
      ])
    for way in Way.allCases {
      for server in servers.all {
        func median(_ server: String, _ value: (Reading) -> Double) -> Double? {
          readings[Key(server: server, way: way)].map { Readings($0.map(value)).median }
        }
        guard let all = readings[Key(server: server.name, way: way)] else { continue }
        let answered = Readings(all.map(\.answered))
        let tagged = Readings(all.map(\.tagged)).median, cpu = Readings(all.map(\.cpu)).median
        table.rows.append([
          "\(way.rawValue), \(server.name)", fixed(answered.median, 3), answered.range(3),
          fixed(Double(plan.added) / answered.median, 0),
          ratio(answered.median, to: median("mpd", \.answered)), fixed(tagged, 3),
          ratio(tagged, to: median("mpd", \.tagged)), fixed(cpu, 3), ratio(cpu, to: median("mpd", \.cpu)),
        ])
      }
    }
    table.failures = failures
    table.notes = [
      "mpd reads the tags before it answers, continuo afterwards. CPU: until the tags are known, both.",
      "file:// names, links to the files; mpd has no database.",
    ]
    return table
  }

  private func measure(_ server: ControlServer, _ way: Way, _ songs: [String]) throws -> Reading {
    let connection = try server.connect()
    try connection.ask("clear")
    let singles = songs.map { Array((ControlServer.add($0) + "\n").utf8) }
    let list = ControlServer.list(of: songs)
    let cpuStart = try server.cpuSeconds()
    let begin = monotonicSeconds()
    switch way {
    case .single: for request in singles { try connection.exchange(request) }
    case .list: try connection.ask(list, seconds: 60)
    }
    let answered = monotonicSeconds()
    try server.awaitTags(by: connection)
    let tagged = monotonicSeconds()
    let cpu = try server.cpuSeconds() - cpuStart
    let count = try connection.count("playlistlength")
    guard count == songs.count else { throw BenchError("\(count) songs instead of \(songs.count)") }
    return Reading(answered: answered - begin, tagged: tagged - begin, cpu: cpu)
  }
}
