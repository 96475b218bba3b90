import Foundation

/// The speed of rendering files without an audio server, in multiples of real time.
struct RenderSpeed {
  let bench: Bench
  private var output: String { bench.scratch + "/render.wav" }

  private struct Contender {
    var name: String
    var command: [String]
  }

  private struct Reading {
    var user: Double
    var cpu: Double
    var wall: Double
    var megabytes: Double
  }

  func run() throws -> Table {
    var single: [Contender] = []
    if let continuo = bench.continuo {
      let command = Renderer.continuo(continuo).command
      single.append(Contender(name: "continuo wav:/dev/null", command: command("/dev/null")))
      single.append(Contender(name: "continuo wav:FILE", command: command(output)))
    }
    if let mpg123 = bench.mpg123 {
      single.append(Contender(name: "mpg123 -t", command: [mpg123, "-q", "-t"]))
      single.append(Contender(name: "mpg123 -w FILE", command: Renderer.mpg123(mpg123).command(output)))
    }
    guard !single.isEmpty, let renderer = bench.renderer else {
      throw BenchError("neither continuo nor mpg123 is here, or chosen")
    }
    // The first pass measures the duration of the music; the files are then repeated to some 600 s.
    let length = try renderer.render(bench.files, to: output, for: bench).seconds
    let repeats = max(1, Int((600 / length).rounded()))
    let files = Array(repeatElement(bench.files, count: repeats).joined())
    let total = length * Double(repeats)

    let (readings, failures) = bench.collect("render", single, rounds: max(3, bench.rounds)) {
      $0.name
    } measure: {
      try render($0, files)
    }
    unlink(output)
    let base = readings["mpg123 -t"].map { total / Readings($0.map(\.wall)).median }
    var table = Table(
      title: "Rendering \(fixed(total / 60, 1)) minutes (\(files.count) files), in multiples of real time",
      header: [
        "command", "by wall", "min…max", "to mpg123 -t", "by user CPU", "wall s", "CPU s", "MB written",
      ])
    for contender in single {
      guard let all = readings[contender.name] else { continue }
      let wall = Readings(all.map(\.wall)), speed = Readings(all.map { total / $0.wall })
      table.rows.append([
        contender.name, fixed(speed.median, 0), speed.range(0), ratio(total / wall.median, to: base),
        fixed(total / Readings(all.map(\.user)).median, 0), fixed(wall.median, 3),
        fixed(Readings(all.map(\.cpu)).median, 3), fixed(Readings(all.map(\.megabytes)).median, 0),
      ])
    }
    table.failures = failures
    return table
  }

  private func render(_ contender: Contender, _ files: [String]) throws -> Reading {
    unlink(output)
    let child = try Child(
      contender.command + files, environment: bench.plainEnvironment, log: bench.scratch + "/render.log")
    let exit = try child.waitOrKill(seconds: 120)
    guard exit.succeeded else { throw child.failure("cannot render", exit) }
    var info = stat()
    stat(output, &info)
    return Reading(
      user: exit.userSeconds, cpu: exit.cpuSeconds, wall: exit.endedAt - child.startedAt,
      megabytes: Double(info.st_size) / 1e6)
  }
}
