import Foundation

/// The response time for a single client with one request at a time.
struct RoundTrip {
  let bench: Bench
  let plan: ControlPlan
  let programs: [ServerProgram]
  /// The processors on which client and server run.
  let placement: Placement

  private static let commands = ["ping", "status", "currentsong"]
  private enum State: String, CaseIterable { case paused, playing }
  private struct Key: Hashable {
    var server: String
    var command: String
    var state: State
  }

  func run() throws -> Table {
    let servers = try ControlServers(programs, bench: bench)
    defer { servers.stop() }
    var rounds: [Key: [Readings]] = [:]
    var failures: [String] = []
    for server in servers.all {
      let connection = try server.connect()
      try server.add(bench.files, by: connection)
      try connection.ask("repeat 1")
    }
    let count = bench.rounds * ControlPlan.shortRounds
    for round in 0..<count {
      for state in State.allCases {
        for server in Bench.rotated(servers.all, by: round) {
          Bench.say(
            "roundtrip: \(placement.rawValue), round \(round + 1) of \(count), \(server.name) \(state.rawValue)"
          )
          do {
            for (command, times) in try measure(server, state) {
              let key = Key(server: server.name, command: command, state: state)
              rounds[key, default: []].append(Readings(times))
            }
          } catch {
            failures.append("\(server.name): \(error)")
          }
        }
      }
    }
    return table(servers, rounds, failures, count)
  }

  private func table(
    _ servers: ControlServers, _ rounds: [Key: [Readings]], _ failures: [String], _ count: Int
  ) -> Table {
    var table = Table(
      title:
        "Round trip on the control socket in µs, client and server on \(placement.rawValue) (\(count) rounds of \(grouped(plan.requests)) each)",
      header: [
        "request", "paused p50", "min…max", "p99", "to mpd", "playing p50", "min…max", "p99", "to mpd",
      ])
    func pooled(_ key: Key) -> Readings? { rounds[key].map { Readings($0.flatMap(\.sorted)) } }
    for command in Self.commands {
      for server in servers.all {
        var row = ["\(command), \(server.name)"]
        for state in State.allCases {
          let key = Key(server: server.name, command: command, state: state)
          let mpd = pooled(Key(server: "mpd", command: command, state: state))
          let all = pooled(key) ?? Readings([])
          row += [
            fixed(all.median, 1), Readings((rounds[key] ?? []).map(\.median)).range(1),
            fixed(all.percentile(99), 1), ratio(all.median, to: mpd?.median),
          ]
        }
        table.rows.append(row)
      }
    }
    table.failures = failures
    table.notes = [
      "min…max: the p50 of single rounds. Only the server that is asked plays.",
      "While continuo plays, another client has a \"watch time 0.01\" open.",
    ]
    return table
  }

  private func measure(_ server: ControlServer, _ state: State) throws -> [(String, [Double])] {
    let connection = try server.connect()
    try placement.bind(server)
    defer { try? Placement.lift(server) }
    var watcher: ControlConnection?
    if state == .playing {
      try server.play(by: connection)
      if server.isContinuo {
        watcher = try server.connect()
        try watcher?.send(Array("watch time 0.01\n".utf8))
      }
    }
    defer { if state == .playing { _ = try? connection.ask("pause 1") } }
    let result = try Self.commands.map { command in
      let request = Array((command + "\n").utf8)
      for _ in 0..<50 { try connection.exchange(request) }
      var times: [Double] = []
      times.reserveCapacity(plan.requests)
      var drained = monotonicSeconds()
      for _ in 0..<plan.requests {
        let begin = monotonicSeconds()
        try connection.exchange(request)
        let end = monotonicSeconds()
        times.append((end - begin) * 1e6)
        // The watcher is read between requests, so that this work does not count as response time.
        if let watcher, end - drained > 0.005 {
          drained = end
          try watcher.discard()
        }
      }
      return (command, times)
    }
    if let watcher {
      try watcher.discard()
      guard watcher.discarded > 0 else { throw BenchError("the watcher gets no steps") }
    }
    return result
  }
}
