import Foundation

/// The settings and programs that all measurements share.
struct Bench {
  var tools: Tools
  var scratch: String
  /// The absolute paths of the files to play.
  var files: [String]
  /// The duration of playback for CPU time and jitter, in seconds.
  var seconds: Double
  /// The number of measurements of each contender's CPU time and rendering.
  var rounds: Int
  /// The number of measurements of each contender's time to the first sound.
  var starts: Int
  /// The installed contenders, in the order of the tables.
  var players: [any Player]
  /// The path of the executable `continuo`, if it exists and is chosen.
  var continuo: String?
  /// The path of mpg123, if it is installed and chosen.
  var mpg123: String?

  /// The program that decodes files to WAV. mpg123 takes precedence over continuo, so that the reference does
  /// not change with the program under test.
  var renderer: Renderer? { tools.path("mpg123").map { .mpg123($0) } ?? continuo.map { .continuo($0) } }

  /// Returns `items`, starting with a different one in each round, so that none is always first or always
  /// follows the same one.
  static func rotated<T>(_ items: [T], by round: Int) -> [T] {
    guard !items.isEmpty else { return [] }
    let start = round % items.count
    return Array(items[start...] + items[..<start])
  }

  /// Measures each contender once in a round, in turn. Returns the readings by the contenders' names, and the
  /// failures as lines.
  func collect<Contender, Reading>(
    _ what: String, _ contenders: [Contender], rounds: Int? = nil, name: (Contender) -> String,
    measure: (Contender) throws -> Reading
  ) -> (readings: [String: [Reading]], failures: [String]) {
    var readings: [String: [Reading]] = [:]
    var failures: [String] = []
    let rounds = rounds ?? self.rounds
    for round in 0..<rounds {
      for contender in Self.rotated(contenders, by: round) {
        let name = name(contender)
        Self.say("\(what): round \(round + 1) of \(rounds), \(name)")
        do { readings[name, default: []].append(try measure(contender)) } catch {
          failures.append("\(name): \(error)")
        }
      }
    }
    return (readings, failures)
  }

  /// Writes a line of results to standard output immediately, since a signal may end this program at any
  /// time.
  static func show(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

  /// Writes a progress line to standard error, so that standard output contains only the tables.
  static func say(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

  /// The environment for programs that need no audio server.
  var plainEnvironment: [String: String] {
    var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("PULSE_") }
    environment["HOME"] = scratch
    environment["XDG_RUNTIME_DIR"] = scratch
    return environment
  }
}
