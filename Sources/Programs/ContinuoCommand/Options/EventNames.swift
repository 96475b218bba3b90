/// The names of the lines of `--events`.
enum EventNames {
  /// The name of the lines with a time step.
  static let time = "time"

  static let all = [
    "begin", "currentItem", time, "timeControlStatus", "applicationState", "didPlayToEndTime", "failed",
    "stalled", "loaded", "network", "timedMetadata", "command", "device", "backgroundTask", "fetchEnded",
    "interruption", "terminated", "refused", "finished",
  ]

  /// Returns the names in an option's comma-separated list.
  static func parse(_ list: String) throws(SyntaxError) -> [String] {
    let names = list.split(separator: ",").map(String.init)
    guard !names.isEmpty else { throw SyntaxError("an empty list of events") }
    for name in names where !all.contains(name) {
      throw SyntaxError("\"\(name)\" is not an event; known ones are \(all.joined(separator: ", "))")
    }
    return names
  }
}
