import Foundation

/// The time from the start of a process to its first sound: the moment at which the first loud frame in the
/// monitor is heard, by the sink's own clock.
struct FirstSound {
  let bench: Bench
  let server: AudioServer

  func run() throws -> Table {
    var contenders = bench.players.map { (player: $0, files: Array(bench.files.prefix(1))) }
    if let paplay = bench.tools.path("paplay"), let renderer = bench.renderer {
      let decoded = bench.scratch + "/decoded.wav"
      _ = try renderer.render(Array(bench.files.prefix(1)), to: decoded, for: bench)
      contenders.append((CommandPlayer.paplay(paplay), [decoded]))
    }
    let (readings, failures) = bench.collect("start", contenders, rounds: bench.starts) {
      $0.player.name
    } measure: {
      try measure($0.player, $0.files)
    }
    func median(_ name: String) -> Double? { readings[name].map { Readings($0).median } }
    var table = Table(
      title: "From process start to first sound (\(bench.starts) runs)",
      header: ["player", "median ms", "min…max", "to mpg123", "to mpd"])
    for contender in contenders {
      guard let all = readings[contender.player.name].map({ Readings($0) }) else { continue }
      table.rows.append([
        contender.player.name, fixed(all.median * 1_000, 1), Readings(all.sorted.map { $0 * 1_000 }).range(1),
        ratio(all.median, to: median("mpg123")), ratio(all.median, to: median("mpd")),
      ])
    }
    table.failures = failures
    table.notes = [
      "The sink starts a stream at its next block of 50 ms, so single runs spread by that much.",
      "paplay, the floor, plays the first file decoded beforehand.",
    ]
    return table
  }

  /// Returns the time from the player's start to its first sound, in seconds. Waits for the sound for at most
  /// `limit` seconds. `atSound` is called when sound arrives from the server.
  func measure(
    _ player: any Player, _ files: [String], limit: Double = 10, atSound: () -> Void = {}
  ) throws -> Double {
    let capture = try MonitorCapture(server)
    // Starts in a different phase of the sink's blocks in every run.
    usleep(useconds_t.random(in: 0..<50_000))
    let child: Child
    do { child = try player.play(files, on: server) } catch {
      _ = try? capture.stop()
      throw error
    }
    do {
      try capture.waitForSound(of: child, seconds: limit)
      atSound()
      usleep(200_000)
    } catch {
      _ = try? player.stop(child)
      _ = try? capture.stop()
      throw error
    }
    _ = try player.stop(child)
    let recording = try capture.stop()
    guard let frame = recording.firstSound() else { throw BenchError("nothing was heard") }
    return try recording.heardTime()(Double(frame)) - child.startedAt
  }
}
