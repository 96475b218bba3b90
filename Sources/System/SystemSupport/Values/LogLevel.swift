/// The importance of a line for the operator of a program, most important first.
package enum LogLevel: String, CaseIterable, Comparable, Sendable {
  /// The program, or a song, cannot continue.
  case error
  /// Part of a request could not be fulfilled.
  case warning
  /// The program's own progress, such as the addresses at which it listens.
  case info
  /// Every client and every refused command.
  case debug

  package static func < (one: LogLevel, other: LogLevel) -> Bool { one.rank < other.rank }

  private var rank: Int {
    switch self {
    case .error: 0
    case .warning: 1
    case .info: 2
    case .debug: 3
    }
  }
}
