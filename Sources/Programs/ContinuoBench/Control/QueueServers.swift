import Foundation

/// Servers with queues of several lengths, filled at their first use and shared by several measurements.
final class QueueServers {
  /// A server and its queue.
  struct Filled {
    var server: ControlServer
    var songs: Int
    /// The resident memory before and after the songs were added, in megabytes.
    var emptyMB: Double
    var fullMB: Double
    /// The size of a song's name and tags in bytes, as `playlistinfo` writes their values.
    var textBytes: Int
  }

  let bench: Bench
  let plan: ControlPlan
  let programs: [ServerProgram]
  private var filled: [Filled] = []
  private var songs: [String]?

  init(bench: Bench, plan: ControlPlan, programs: [ServerProgram]) {
    self.bench = bench
    self.plan = plan
    self.programs = programs
  }

  func stop() {
    for queue in filled { queue.server.stop() }
    filled = []
  }

  /// Returns the servers with so many songs each.
  func servers(with count: Int) throws -> [Filled] {
    let known = filled.filter { $0.songs == count }
    guard known.isEmpty else { return known }
    let songs = try links()
    let all = (0..<count).map { songs[$0 % songs.count] }
    for program in programs {
      Bench.say("filling \(program.name) with \(grouped(count)) songs")
      let server = try ControlServer(program, bench: bench)
      do { filled.append(try fill(server, all)) } catch {
        server.stop()
        throw BenchError("\(program.name): \(error)")
      }
    }
    return filled.filter { $0.songs == count }
  }

  private func fill(_ server: ControlServer, _ songs: [String]) throws -> Filled {
    let connection = try server.connect()
    try connection.ask("status")
    let empty = try server.residentMB()
    try server.add(songs, by: connection)
    let count = try connection.count("playlistlength")
    guard count == songs.count else { throw BenchError("\(count) songs instead of \(songs.count)") }
    let named = ["file", "Artist", "AlbumArtist", "Title", "Album", "Track", "Date", "Genre", "Composer"]
    let info = try connection.ask("playlistinfo 0")
    return Filled(
      server: server, songs: count, emptyMB: empty, fullMB: try server.residentMB(),
      textBytes: named.compactMap { info.value($0)?.utf8.count }.reduce(0, +))
  }

  /// The paths of links to a song that is quick to read.
  private func links() throws -> [String] {
    if let songs { return songs }
    let short = try SongLinks.shortened(bench.files[0], to: bench.scratch + "/short.mp3")
    let names = try SongLinks.make(
      min(plan.largeQueue, SongLinks.nameLimit), of: [short], in: bench.scratch + "/queued")
    songs = names
    return names
  }
}
