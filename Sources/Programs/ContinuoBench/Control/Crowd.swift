import Foundation

/// The throughput of a playing server with a hundred clients, each of which sends its next `status` as soon
/// as the reply arrives. A single thread runs all clients.
struct Crowd {
  let bench: Bench
  let plan: ControlPlan
  let programs: [ServerProgram]

  private struct Reading {
    var perSecond: Double
    /// The times from request to reply, in seconds.
    var times: [Double]
    var cpuPerRequest: Double
    /// The CPU time of the clients as a fraction of one processor.
    var ownCPU: Double
    /// The numbers of replies to the least and to the most favoured client.
    var fewest: Int
    var most: Int
  }

  func run() throws -> Table {
    let servers = try ControlServers(programs, bench: bench)
    defer { servers.stop() }
    for server in servers.all {
      let connection = try server.connect()
      try server.add(bench.files, by: connection)
      try connection.ask("repeat 1")
    }
    let (readings, failures) = bench.collect("crowd", servers.all, name: { $0.name }, measure: measure)
    var table = Table(
      title: "\(ControlPlan.clients) clients sending status for \(fixed(plan.seconds, 0)) s, while playing "
        + "(\(bench.rounds) rounds)",
      header: [
        "server", "requests/s", "min…max", "to mpd", "p50 ms", "p99 ms", "max ms", "to mpd p99",
        "CPU µs/request", "to mpd", "of one client",
      ])
    func median(_ name: String, _ value: (Reading) -> Double) -> Double? {
      readings[name].map { Readings($0.map(value)).median }
    }
    func times(_ name: String) -> Readings? { readings[name].map { Readings($0.flatMap(\.times)) } }
    for server in servers.all {
      guard let all = readings[server.name], let times = times(server.name) else { continue }
      let rates = Readings(all.map(\.perSecond))
      let cost = Readings(all.map { $0.cpuPerRequest * 1e6 }).median
      table.rows.append([
        server.name, fixed(rates.median, 0), rates.range(0),
        ratio(rates.median, to: median("mpd", \.perSecond)), fixed(times.median * 1_000, 2),
        fixed(times.percentile(99) * 1_000, 2), fixed(times.percentile(100) * 1_000, 2),
        ratio(times.percentile(99), to: self.p99(readings["mpd"])), fixed(cost, 1),
        ratio(cost, to: median("mpd") { $0.cpuPerRequest * 1e6 }),
        "\(all.map(\.fewest).min() ?? 0)…\(all.map(\.most).max() ?? 0)",
      ])
    }
    let own = Readings(readings.values.joined().map { $0.ownCPU * 100 })
    table.failures = failures
    table.notes = [
      "One thread is all clients; it took \(own.range(0)) % of a processor. Its own queue is part of the times.",
      "CPU: the whole process of the server, playback included. Of one client: the fewest and the most answers.",
    ]
    return table
  }

  private func p99(_ readings: [Reading]?) -> Double? {
    readings.map { Readings($0.flatMap(\.times)).percentile(99) }
  }

  private func measure(_ server: ControlServer) throws -> Reading {
    // The client that starts playback counts among the hundred, since the servers refuse more.
    let first = try server.connect()
    try server.play(by: first)
    defer { _ = try? first.ask("pause 1") }
    let clients = try [first] + (1..<ControlPlan.clients).map { _ in try server.connect() }
    let poller = Poller(clients.map(\.descriptor))
    let request = Array("status\n".utf8)
    var sentAt = [Double](repeating: 0, count: clients.count)
    var answers = [Int](repeating: 0, count: clients.count)
    var times: [Double] = []
    times.reserveCapacity(Int(plan.seconds) * 50_000)

    let ownStart = threadSeconds()
    let cpuStart = try server.cpuSeconds()
    let begin = monotonicSeconds()
    for (index, client) in clients.enumerated() {
      sentAt[index] = monotonicSeconds()
      try client.send(request)
    }
    let end = begin + plan.seconds
    var waiting = clients.count
    var duration = 0.0
    while waiting > 0 {
      guard try poller.wait(seconds: 5) else {
        throw BenchError("\(waiting) of \(clients.count) clients get no answer within 5 s")
      }
      for index in poller.ready where try clients[index].receive() {
        let now = monotonicSeconds()
        answers[index] += 1
        if now < end {
          times.append(now - sentAt[index])
          duration = now - begin
          sentAt[index] = now
          try clients[index].send(request)
        } else {
          waiting -= 1
        }
      }
    }
    // The server's CPU time includes all replies, also those after the end.
    let cpu = try server.cpuSeconds() - cpuStart
    let elapsed = monotonicSeconds() - begin
    let total = answers.reduce(0, +)
    return Reading(
      perSecond: Double(times.count) / duration, times: times, cpuPerRequest: cpu / Double(total),
      ownCPU: (threadSeconds() - ownStart) / elapsed, fewest: answers.min() ?? 0, most: answers.max() ?? 0)
  }
}

/// The CPU time of the current thread, in seconds.
func threadSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
