import Foundation

/// How fast files are rendered without an audio server, in multiples of real time.
struct RenderSpeed {
  let bench: Bench

  private struct Contender {
    var name: String
    var command: [String]
  }

  private struct Reading {
    var user: Double
    var cpu: Double
    var wall: Double
  }

  func run() throws -> Table {
    let output = bench.scratch + "/render.wav"
    var single: [Contender] = []
    if let continuo = bench.continuo {
      let play = [continuo, "play", "--no-socket", "--output"]
      single.append(Contender(name: "continuo wav:/dev/null", command: play + ["wav:/dev/null"]))
      single.append(Contender(name: "continuo wav:FILE", command: play + ["wav:\(output)"]))
    }
    if let mpg123 = bench.mpg123 {
      single.append(Contender(name: "mpg123 -t", command: [mpg123, "-q", "-t"]))
      single.append(Contender(name: "mpg123 -w FILE", command: [mpg123, "-q", "-w", output]))
    }
    guard let measure = single.last(where: { $0.command.last?.hasSuffix(output) == true }) else {
      return Table(title: "Rendering: neither continuo nor mpg123 is here", header: [""])
    }
    // Once through, for the length of the music; then so often that it takes a while.
    _ = try render(measure, bench.files)
    let length = try WAVFile(reading: output).seconds
    let repeats = max(1, Int((1_500 / length).rounded()))
    let files = Array(repeatElement(bench.files, count: repeats).joined())
    let total = length * Double(repeats)

    var readings: [String: [Reading]] = [:]
    var notes: [String] = []
    for round in 0..<max(3, bench.rounds) {
      Bench.say("render: round \(round + 1)")
      for contender in Bench.rotated(single, by: round) {
        do {
          readings[contender.name, default: []].append(try render(contender, files))
        } catch {
          notes.append("\(contender.name): \(error)")
        }
      }
    }
    unlink(output)
    let base = readings["mpg123 -t"].map { total / Readings($0.map(\.wall)).median }
    var table = Table(
      title: "Rendering \(fixed(total / 60, 1)) minutes (\(files.count) files), in multiples of real time",
      header: ["command", "by wall", "min…max", "to mpg123 -t", "by user CPU", "wall s", "CPU s"])
    for contender in single {
      guard let all = readings[contender.name] else { continue }
      let wall = Readings(all.map(\.wall)), speed = Readings(all.map { total / $0.wall })
      table.rows.append([
        contender.name, fixed(speed.median, 0), speed.range(0), ratio(total / wall.median, to: base),
        fixed(total / Readings(all.map(\.user)).median, 0), fixed(wall.median, 3),
        fixed(Readings(all.map(\.cpu)).median, 3),
      ])
    }
    table.notes = notes
    return table
  }

  private func render(_ contender: Contender, _ files: [String]) throws -> Reading {
    let child = try Child(
      contender.command + files, environment: bench.plainEnvironment, log: bench.scratch + "/render.log")
    let exit = try child.waitOrKill(seconds: 120)
    guard exit.succeeded else { throw BenchError("ended with \(exit.reason)") }
    return Reading(user: exit.userSeconds, cpu: exit.cpuSeconds, wall: exit.endedAt - child.startedAt)
  }
}
