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

  func run() throws -> Table {
    let servers = try ControlServers(programs, bench: bench)
    defer { servers.stop() }
    let songs = try SongLinks.make(plan.added, of: bench.files, in: bench.scratch + "/added")
    let contenders = Way.allCases.flatMap { way in servers.all.map { (server: $0, way: way) } }
    func name(_ way: Way, _ server: String) -> String { "\(way.rawValue), \(server)" }
    let (readings, failures) = bench.collect("add", contenders) {
      name($0.way, $0.server.name)
    } measure: {
      try measure($0.server, $0.way, songs)
    }
    var table = Table(
      title: "Adding \(grouped(plan.added)) songs (\(bench.rounds) rounds)",
      header: [
        "way", "answered s", "min…max", "songs/s", "to mpd", "tags known s", "to mpd", "CPU s", "to mpd",
      ])
    for (server, way) in contenders {
      func median(_ value: (Reading) -> Double) -> Double? {
        readings[name(way, "mpd")].map { Readings($0.map(value)).median }
      }
      guard let all = readings[name(way, server.name)] else { continue }
      let answered = Readings(all.map(\.answered))
      let tagged = Readings(all.map(\.tagged)).median, cpu = Readings(all.map(\.cpu)).median
      table.rows.append([
        name(way, server.name), fixed(answered.median, 3), answered.range(3),
        fixed(Double(plan.added) / answered.median, 0), ratio(answered.median, to: median(\.answered)),
        fixed(tagged, 3), ratio(tagged, to: median(\.tagged)), fixed(cpu, 3), ratio(cpu, to: median(\.cpu)),
      ])
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
