/// The importance of a line for the operator of a program, most important first.
package enum LogLevel: String, CaseIterable, Comparable, Sendable {
  /// The program, or a song, cannot continue.
  case error
  /// The program continues, but a part of it does not work or is out of date.
  case warning
  /// The program's own progress, such as the addresses at which it listens.
  case info
  /// Each connection and disconnection of a client, and each refused command.
  case debug

  package static func < (one: LogLevel, other: LogLevel) -> Bool {
    (allCases.firstIndex(of: one) ?? 0) < (allCases.firstIndex(of: other) ?? 0)
  }
}
