import Foundation

/// The cost of listing and editing a queue, in a short queue and in a long one.
struct QueueEdits {
  let bench: Bench
  let plan: ControlPlan
  let queues: QueueServers

  /// The edits in the order in which they run. A round of all edits restores the length of the queue.
  private enum Edit: String, CaseIterable {
    case add, move, delete
    case addAnywhere = "add anywhere"
    case moveAnywhere = "move anywhere"
    case deleteAnywhere = "delete anywhere"
    case status
    case look = "playlistinfo 0:50"

    /// Returns the command for a queue with `count` songs.
    func line(_ count: Int, _ song: String, _ random: inout some RandomNumberGenerator) -> String {
      func anywhere() -> Int { Int.random(in: 0..<count, using: &random) }
      return switch self {
      case .add: ControlServer.add(song)
      case .move: "move \(count) 0"
      case .delete: "delete 0"
      case .addAnywhere: "\(ControlServer.add(song)) \(anywhere())"
      case .moveAnywhere: "move \(anywhere()) \(anywhere())"
      case .deleteAnywhere: "delete \(anywhere())"
      case .status, .look: rawValue
      }
    }
  }

  func run() throws -> Table {
    let all = try plan.queues.flatMap { try queues.servers(with: $0) }
    let count = bench.rounds * ControlPlan.shortRounds
    func name(_ server: String, _ songs: Int) -> String { "\(server) with \(grouped(songs)) songs" }
    let (readings, failures) = bench.collect("add: edits", all, rounds: count) {
      name($0.server.name, $0.songs)
    } measure: {
      try measure($0)
    }
    func times(_ server: String, _ songs: Int, _ edit: Edit) -> Readings {
      Readings(readings[name(server, songs), default: []].flatMap { $0[edit] ?? [] })
    }
    let sizes = plan.queues.map(grouped)
    var table = Table(
      title: "Requests in queues of \(sizes.joined(separator: " and ")) songs, in µs "
        + "on one processor (\(count) rounds of \(plan.edits) each)",
      header: ["request"] + sizes.flatMap { ["\($0): p50", "p99", "to mpd"] } + ["long/short"])
    for edit in Edit.allCases {
      for program in queues.programs {
        let own = plan.queues.map { times(program.name, $0, edit) }
        var row = ["\(edit.rawValue), \(program.name)"]
        for (songs, all) in zip(plan.queues, own) {
          row += [
            fixed(all.median, 1), fixed(all.percentile(99), 1),
            ratio(all.median, to: times("mpd", songs, edit).median),
          ]
        }
        table.rows.append(row + [ratio(own.last?.median ?? .nan, to: own.first?.median)])
      }
    }
    table.failures = failures
    table.notes = [
      "add: at the end. move: the last song to the front. delete: the first. Anywhere: at random places.",
      "mpd reads the song's tags within add.",
    ]
    return table
  }

  private func measure(_ queue: QueueServers.Filled) throws -> [Edit: [Double]] {
    let connection = try queue.server.connect()
    try Placement.together.bind(queue.server)
    defer { try? Placement.lift(queue.server) }
    let song = bench.scratch + "/short.mp3"
    var random = SystemRandomNumberGenerator()
    var times = Edit.allCases.map { _ in [Double]() }
    for _ in 0..<plan.edits {
      let requests = Edit.allCases.map { Array(($0.line(queue.songs, song, &random) + "\n").utf8) }
      for (index, request) in requests.enumerated() {
        let begin = monotonicSeconds()
        try connection.exchange(request)
        times[index].append((monotonicSeconds() - begin) * 1e6)
      }
    }
    let count = try connection.count("playlistlength")
    guard count == queue.songs else { throw BenchError("\(count) songs after the edits") }
    return Dictionary(uniqueKeysWithValues: zip(Edit.allCases, times))
  }
}
