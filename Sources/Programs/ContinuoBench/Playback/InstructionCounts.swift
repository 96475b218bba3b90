import Foundation

/// The instructions that Continuo executes, counted by valgrind. Other than times they hardly depend on the
/// machine and on its load, so that the gate can compare them.
struct InstructionCounts {
  let bench: Bench
  let continuo: String

  /// A figure of the table with its value at the last commit that changed it.
  private struct Figure {
    let name: String
    let committed: Double
    let count: Double

    /// Whether the count is so far above the committed one that a change of the program must be the reason.
    var isExceeded: Bool { count > committed * 1.1 }
  }

  /// The lengths of the two songs, in seconds. The difference of the counts belongs to what lies between. Songs
  /// play to their ends: one that is left is decoded ahead by up to 1.5 s, more or less.
  private static let durations = (short: 4, long: 8)

  func run() throws -> Table {
    let program = try stripped()
    Bench.say("instructions: two runs without an observer and two with one, \(Self.durations.long) s")
    let runs = try [false, true].map { isObserved in
      try [Self.durations.short, Self.durations.long].map { seconds in
        try start(program, song(seconds: seconds), isObserved: isObserved)
      }
    }
    let counts = try runs.map { try $0.map(count) }
    let seconds = Double(Self.durations.long - Self.durations.short)
    let perSecond = counts.map { ($0[1] - $0[0]) / seconds }
    return table([
      Figure(name: "a second of playing", committed: 5_100_000, count: perSecond[0]),
      Figure(
        name: "a 1/100 s step, as an event", committed: 6_900, count: (perSecond[1] - perSecond[0]) / 100),
      Figure(
        name: "start and end", committed: 29_500_000,
        count: counts[0][0] - perSecond[0] * Double(Self.durations.short)),
    ])
  }

  private func table(_ figures: [Figure]) -> Table {
    var table = Table(
      title: "Instructions of continuo play, without a sound server",
      header: ["of", "thousands", "committed", "to that"])
    for figure in figures {
      table.rows.append([
        figure.name, fixed(figure.count / 1_000, 1), fixed(figure.committed / 1_000, 1),
        ratio(figure.count, to: figure.committed),
      ])
    }
    table.failures = figures.filter(\.isExceeded).map { "\($0.name): above 1.1 times the committed count" }
    return table
  }

  /// Returns the path of a copy without debug information, which valgrind 3.19 cannot read.
  private func stripped() throws -> String {
    let copy = bench.scratch + "/continuo"
    try perform("strip", ["-g", "-o", copy, continuo])
    return copy
  }

  /// Makes a song of that length, of chords that decay.
  private func song(seconds: Int) throws -> String {
    let path = "\(bench.scratch)/\(seconds)"
    var samples = Data()
    for frame in 0..<seconds * 44_100 {
      let time = Double(frame) / 44_100
      let value = [220, 277.2, 329.6, 1_760].reduce(0) { $0 + sin(2 * .pi * $1 * time) } * 7_000
      let sample = Int16(value * exp(-3 * time.truncatingRemainder(dividingBy: 0.5)))
      for _ in 0..<2 { withUnsafeBytes(of: sample) { samples.append(contentsOf: $0) } }
    }
    try samples.write(to: URL(fileURLWithPath: path + ".raw"))
    try perform("lame", ["--quiet", "-r", "-s", "44.1", "-b", "128", path + ".raw", path + ".mp3"])
    return path + ".mp3"
  }

  private func perform(_ tool: String, _ arguments: [String]) throws {
    let child = try Child(
      [try bench.tools.require(tool)] + arguments, environment: bench.plainEnvironment,
      log: bench.scratch + "/tools.log")
    let exit = try child.waitOrKill(seconds: 60)
    guard exit.succeeded else { throw child.failure("failed", exit) }
  }

  private typealias Run = (child: Child, log: String)

  private func start(_ program: String, _ song: String, isObserved: Bool) throws -> Run {
    let log = "\(song)-\(isObserved).log"
    let child = try Child(
      [
        try bench.tools.require("valgrind"), "--tool=callgrind", "--callgrind-out-file=/dev/null", program,
        "play", "--no-socket", "--output", "simulated",
      ] + (isObserved ? ["--events", song + ".jsonl"] : []) + [song],
      environment: bench.plainEnvironment, log: log)
    return (child, log)
  }

  /// Returns the number of instructions of a run, after its end.
  private func count(_ run: Run) throws -> Double {
    let exit = try run.child.waitOrKill(seconds: 300)
    guard exit.succeeded else { throw run.child.failure("ended too early", exit) }
    let line = try String(contentsOfFile: run.log, encoding: .utf8).split(separator: "\n").first {
      $0.contains("Collected")
    }
    guard let count = line?.split(separator: " ").last.flatMap({ Double($0) }) else {
      throw BenchError("valgrind has counted nothing")
    }
    return count
  }
}
