import Foundation

/// What every measurement works with.
struct Bench {
  var tools: Tools
  var scratch: String
  /// Absolute paths of what is played.
  var files: [String]
  /// Seconds of playback for CPU time and jitter.
  var seconds: Double
  /// How often each contender's CPU time and rendering is measured.
  var rounds: Int
  /// How often each contender's way to the first sound is measured.
  var starts: Int
  /// The contenders that are here, in the order of the tables.
  var players: [any Player]
  /// The executable `continuo`, when it is here and chosen.
  var continuo: String?
  /// mpg123, when it is here and chosen.
  var mpg123: String?

  /// Decodes files to WAV: mpg123 before continuo, so that the reference does not change with what is measured.
  var renderer: Renderer? {
    tools.path("mpg123").map { .mpg123($0) } ?? continuo.map { .continuo($0) }
  }

  /// `items`, begun at another place in each round: nobody is always first, or always behind the same one.
  static func rotated<T>(_ items: [T], by round: Int) -> [T] {
    guard !items.isEmpty else { return [] }
    let start = round % items.count
    return Array(items[start...] + items[..<start])
  }

  /// A line of results on standard output, at once: a signal may end this program at any time.
  static func show(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
  }

  /// One line on standard error, so that standard output holds the tables only.
  static func say(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }

  /// The environment for programs that need no audio server.
  var plainEnvironment: [String: String] {
    var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("PULSE_") }
    environment["HOME"] = scratch
    environment["XDG_RUNTIME_DIR"] = scratch
    return environment
  }
}
