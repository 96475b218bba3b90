import Foundation

/// The cost of playback: CPU time and memory of the whole process, from its start to its end, for the same
/// duration on the same server.
struct PlaybackCost {
  let bench: Bench
  let server: AudioServer

  struct Reading {
    var user: Double
    var system: Double
    var peakMB: Double
    var cpu: Double { user + system }
  }

  func run() -> Table {
    let (readings, failures) = bench.collect("cpu", bench.players) {
      $0.name
    } measure: {
      try measure($0, bench.files)
    }
    func median(_ name: String) -> Double? { readings[name].map { Readings($0.map(\.cpu)).median } }
    var table = Table(
      title: "CPU time and peak memory of playing \(fixed(bench.seconds, 0)) s (\(bench.rounds) rounds)",
      header: [
        "player", "CPU s", "min…max", "user s", "system s", "to mpg123", "to mpd", "peak MB", "min…max",
      ])
    for player in bench.players {
      guard let all = readings[player.name] else { continue }
      let cpu = Readings(all.map(\.cpu)), peak = Readings(all.map(\.peakMB))
      table.rows.append([
        player.name, fixed(cpu.median, 3), cpu.range(3), fixed(Readings(all.map(\.user)).median, 3),
        fixed(Readings(all.map(\.system)).median, 3), ratio(cpu.median, to: median("mpg123")),
        ratio(cpu.median, to: median("mpd")), fixed(peak.median, 1), peak.range(1),
      ])
    }
    table.failures = failures
    table.notes = [
      "CPU: user + system by wait4, start and end of the process included, the audio server not. Peak: VmHWM."
    ]
    return table
  }

  /// Measures the cost of playing `files` for the benchmark's duration.
  func measure(_ player: any Player, _ files: [String]) throws -> Reading {
    let child = try player.play(files, on: server)
    do {
      let begin = monotonicSeconds()
      usleep(useconds_t(bench.seconds * 500_000))
      let streams = try server.playingStreams()
      if let exit = child.exit { throw child.failure("ended at once", exit) }
      guard streams == 1 else { throw BenchError("\(streams) streams on the server instead of 1") }
      usleep(useconds_t(max(0, begin + bench.seconds - monotonicSeconds()) * 1_000_000))
      let peak = child.peakKiB
      if let exit = child.exit { throw child.failure("ended before its time", exit) }
      guard let peak else { throw BenchError("its memory cannot be read") }
      let exit = try player.stop(child)
      return Reading(user: exit.userSeconds, system: exit.systemSeconds, peakMB: Double(peak) / 1_000 * 1.024)
    } catch {
      _ = try? child.terminate()
      throw error
    }
  }
}
