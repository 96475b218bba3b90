import Foundation

/// Fifty clients that follow the time in steps of 1/100 s: by Continuo's `watch`, and by sending `status` a
/// hundred times a second to each server. A single thread runs all clients.
struct Watchers {
  let bench: Bench
  let plan: ControlPlan
  let programs: [ServerProgram]

  private enum Way: String { case nobody, watch, status }
  private struct Reading {
    var delivered = 0
    var due = 0
    var coalesced = 0
    /// The delays of the steps, in seconds.
    var delays: [Double] = []
    /// The CPU time as a fraction of one processor.
    var cpu = 0.0
    var ownCPU = 0.0
    var remarks: [String] = []
  }

  func run() throws -> Table {
    let servers = try ControlServers(programs, bench: bench)
    defer { servers.stop() }
    var contenders: [(server: ControlServer, way: Way)] = []
    for server in servers.all {
      let connection = try server.connect()
      try server.add(bench.files, by: connection)
      contenders += [(server, .nobody), (server, .status)] + (server.isContinuo ? [(server, .watch)] : [])
    }
    contenders.sort { $0.way.rawValue > $1.way.rawValue }
    func name(_ contender: (server: ControlServer, way: Way)) -> String {
      switch contender.way {
      case .nobody: "\(contender.server.name), nobody asks"
      case .watch: "\(contender.server.name), watch time 0.01"
      case .status: "\(contender.server.name), status 100/s"
      }
    }
    let (readings, failures) = bench.collect("watch", contenders, name: name) {
      try measure($0.server, $0.way)
    }
    var table = Table(
      title: "\(ControlPlan.watchers) clients that follow the time in steps of 1/100 s for "
        + "\(fixed(plan.seconds, 0)) s (\(bench.rounds) rounds)",
      header: ["way", "steps", "of", "coalesced", "p50 ms", "p99 ms", "max ms", "CPU %", "min…max"])
    for contender in contenders {
      guard let all = readings[name(contender)] else { continue }
      let delays = Readings(all.flatMap { $0.delays.map { $0 * 1_000 } })
      let cpu = Readings(all.map { $0.cpu * 100 })
      let isSilent = contender.way == .nobody
      table.rows.append([
        name(contender), isSilent ? "–" : grouped(all.map(\.delivered).reduce(0, +)),
        isSilent ? "–" : grouped(all.map(\.due).reduce(0, +)),
        contender.way == .watch ? grouped(all.map(\.coalesced).reduce(0, +)) : "–", fixed(delays.median, 2),
        fixed(delays.percentile(99), 2), fixed(delays.percentile(100), 2), fixed(cpu.median, 1), cpu.range(1),
      ])
    }
    let own = Readings(readings.values.joined().filter { $0.due > 0 }.map { $0.ownCPU * 100 })
    table.failures =
      failures + readings.flatMap { name, all in all.flatMap(\.remarks).map { "\(name): \($0)" } }
    table.notes = [
      "watch: from the record's host time to its arrival here. status: from the step's time to the answer's arrival.",
      "CPU: the whole process of the server, playback included. The clients' thread took \(own.range(0)) % of one.",
    ]
    return table
  }

  private func measure(_ server: ControlServer, _ way: Way) throws -> Reading {
    let control = try server.connect()
    try server.play(by: control)
    defer { _ = try? control.ask("pause 1") }
    switch way {
    case .nobody:
      let start = try server.cpuSeconds(), begin = monotonicSeconds()
      usleep(useconds_t(plan.seconds * 1e6))
      return Reading(cpu: try (server.cpuSeconds() - start) / (monotonicSeconds() - begin))
    case .status: return try ask(server)
    case .watch: return try watch(server)
    }
  }

  // MARK: Asking

  private func ask(_ server: ControlServer) throws -> Reading {
    let clients = try (0..<ControlPlan.watchers).map { _ in try server.connect() }
    let poller = Poller(clients.map(\.descriptor))
    let request = Array("status\n".utf8)
    var reading = Reading()
    var isWaiting = [Double?](repeating: nil, count: clients.count)
    var waiting = 0
    func collect(seconds: Double) throws {
      guard try poller.wait(seconds: seconds) else { return }
      for index in poller.ready where try clients[index].receive() {
        if let tick = isWaiting[index] { reading.delays.append(monotonicSeconds() - tick) }
        isWaiting[index] = nil
        waiting -= 1
      }
    }

    let ownStart = threadSeconds(), cpuStart = try server.cpuSeconds(), begin = monotonicSeconds()
    let steps = Int(plan.seconds * 100)
    for step in 0..<steps {
      let tick = begin + Double(step) / 100
      while monotonicSeconds() < tick {
        let rest = tick - monotonicSeconds()
        if waiting > 0 { try collect(seconds: rest) } else { usleep(useconds_t(max(0, rest) * 1e6)) }
      }
      // A client that still waits for a reply has lost this step.
      for (index, client) in clients.enumerated() where isWaiting[index] == nil {
        isWaiting[index] = tick
        waiting += 1
        try client.send(request)
      }
    }
    let deadline = monotonicSeconds() + 5
    while waiting > 0, monotonicSeconds() < deadline { try collect(seconds: 1) }
    if waiting > 0 { throw BenchError("\(waiting) clients get no answer within 5 s") }
    let elapsed = monotonicSeconds() - begin
    reading.cpu = try (server.cpuSeconds() - cpuStart) / elapsed
    reading.ownCPU = (threadSeconds() - ownStart) / elapsed
    reading.delivered = reading.delays.count
    reading.due = steps * clients.count
    return reading
  }

  // MARK: Watching

  private func watch(_ server: ControlServer) throws -> Reading {
    let watchers = try (0..<ControlPlan.watchers).map { _ in
      try WatchStream(try server.connect(), seconds: plan.seconds + 2)
    }
    let poller = Poller(watchers.map(\.descriptor))
    func collect(until end: Double) throws {
      while monotonicSeconds() < end {
        guard try poller.wait(seconds: max(0, end - monotonicSeconds())) else { continue }
        for index in poller.ready { try watchers[index].receive() }
      }
    }
    // All watches begin before the count, and the last steps have time to arrive.
    try collect(until: monotonicSeconds() + 0.5)
    let ownStart = threadSeconds(), cpuStart = try server.cpuSeconds(), begin = monotonicSeconds()
    try collect(until: begin + plan.seconds)
    let end = monotonicSeconds()
    let cpu = try server.cpuSeconds() - cpuStart, own = threadSeconds() - ownStart
    try collect(until: monotonicSeconds() + 0.5)
    for watcher in watchers { try watcher.end() }
    let deadline = monotonicSeconds() + 5
    while let left = watchers.first(where: { !$0.isEnded }) {
      guard monotonicSeconds() < deadline else { throw BenchError("noidle gets no answer within 5 s") }
      try left.receive()
    }
    var reading = try count(watchers.map { try $0.records() }, from: begin, to: end)
    reading.cpu = cpu / (end - begin)
    reading.ownCPU = own / (end - begin)
    return reading
  }

  /// Compares the steps that each watcher received with the range of all steps that any watcher received.
  private func count(
    _ watchers: [WatchStream.Records], from begin: Double, to end: Double
  ) throws -> Reading {
    var reading = Reading()
    // The first record of a watch, and those after a jump, have the media's timescale and are not steps.
    let all = watchers.map { $0.steps.filter { $0.timescale == 100 && $0.host >= begin && $0.host < end } }
    let values = all.joined().map(\.value)
    guard let first = values.min(), let last = values.max() else { throw BenchError("no steps arrived") }
    guard Set(all.joined().map(\.song)).count == 1 else {
      throw BenchError("the first file is too short for \(fixed(plan.seconds, 0)) s")
    }
    let due = last - first + 1
    reading.due = due * watchers.count
    for (index, steps) in all.enumerated() {
      let different = Set(steps.map(\.value)).count
      reading.delivered += different
      reading.delays += steps.map { $0.arrival - $0.host }
      if steps.count != different { reading.remarks.append("\(steps.count - different) steps came twice") }
      if zip(steps, steps.dropFirst()).contains(where: { $0.value > $1.value }) {
        reading.remarks.append("steps came out of order")
      }
      reading.coalesced += watchers[index].coalesced
      let lost = due - different - watchers[index].coalesced
      if lost > 0 { reading.remarks.append("\(lost) steps of a watcher were lost without a word") }
    }
    let byClock = Int((end - begin) * 100)
    if abs(due - byClock) > 5 { reading.remarks.append("\(due) steps in the time of \(byClock)") }
    let strange = Set(watchers.flatMap(\.other)).subtracting(["alive"])
    if !strange.isEmpty {
      reading.remarks.append("records that were not asked for: \(strange.sorted().joined(separator: ", "))")
    }
    return reading
  }
}
