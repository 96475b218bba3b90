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
  /// The times of each command's requests, in microseconds.
  private typealias Reading = [String: [Double]]

  func run() throws -> Table {
    let servers = try ControlServers(programs, bench: bench)
    defer { servers.stop() }
    for server in servers.all {
      let connection = try server.connect()
      try server.add(bench.files, by: connection)
      try connection.ask("repeat 1")
    }
    let count = bench.rounds * ControlPlan.shortRounds
    let contenders = State.allCases.flatMap { state in servers.all.map { (server: $0, state: state) } }
    let (readings, failures) = bench.collect("roundtrip, \(placement.rawValue)", contenders, rounds: count) {
      "\($0.server.name) \($0.state.rawValue)"
    } measure: {
      try measure($0.server, $0.state)
    }
    return table(servers, readings, failures, count)
  }

  private func table(
    _ servers: ControlServers, _ readings: [String: [Reading]], _ failures: [String], _ count: Int
  ) -> Table {
    var table = Table(
      title:
        "Round trip on the control socket in µs, client and server on \(placement.rawValue) (\(count) rounds of \(grouped(plan.requests)) each)",
      header: [
        "request", "paused p50", "min…max", "p99", "to mpd", "playing p50", "min…max", "p99", "to mpd",
      ])
    func rounds(_ server: String, _ command: String, _ state: State) -> [[Double]] {
      readings["\(server) \(state.rawValue)", default: []].compactMap { $0[command] }
    }
    for command in Self.commands {
      for server in servers.all {
        var row = ["\(command), \(server.name)"]
        for state in State.allCases {
          let mpd = rounds("mpd", command, state), own = rounds(server.name, command, state)
          let all = Readings(own.joined())
          row += [
            fixed(all.median, 1), Readings(own.map { Readings($0).median }).range(1),
            fixed(all.percentile(99), 1), ratio(all.median, to: Readings(mpd.joined()).median),
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

  private func measure(_ server: ControlServer, _ state: State) throws -> Reading {
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
    let result = try Self.commands.map { command -> (String, [Double]) in
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
    return Dictionary(uniqueKeysWithValues: result)
  }
}
