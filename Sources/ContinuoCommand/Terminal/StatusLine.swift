import TextFormatting

/// The line that a terminal shows while the player plays.
struct StatusLine: Hashable, Sendable {
  /// What is playing, from tags or the file's name; may hold anything.
  var title: String
  /// What the player is doing, in a word.
  var status: String
  /// The elapsed time, as `ElapsedTime` writes it.
  var elapsed: String
  /// The length, as `ElapsedTime` writes it; nil if it is not known.
  var duration: String?
  /// How far it is, 0…1; nil if that is not known.
  var progress: Double?

  /// The narrowest and the widest bar worth showing, in columns.
  private static let barColumns = 10...40

  /// The line for a terminal of that width, one column short of it at most: many terminals wrap as soon as the last
  /// column is written. The time is shown as long as anything is, then the status, then the title, then the bar.
  func rendered(columns: Int) -> String {
    let columns = max(0, columns - 1)
    let time = duration.map { "\(elapsed) / \($0)" } ?? elapsed
    let tail = [TerminalText.sanitized(status), time].filter { !$0.isEmpty }.joined(separator: "  ")
    guard TerminalText.width(tail) <= columns else {
      return TerminalText.truncated(TerminalText.width(time) <= columns ? time : elapsed, columns: columns)
    }
    let free = columns - TerminalText.width(tail) - 2
    guard free > 0 else { return tail }
    let title = TerminalText.sanitized(title)
    // The bar gets what a whole title leaves, but at least a third of the room if that makes a bar.
    let left = max(free - TerminalText.width(title) - 2, free / 3)
    let bar =
      left < Self.barColumns.lowerBound
      ? "" : ProgressBar.text(progress, columns: min(left, Self.barColumns.upperBound))
    let room = free - (bar.isEmpty ? 0 : bar.utf8.count + 2)
    return [TerminalText.truncated(title, columns: room), bar, tail].filter { !$0.isEmpty }.joined(
      separator: "  ")
  }
}

/// A bar that fills from the left.
enum ProgressBar {
  /// A bar like `[####----]` that is `columns` wide with its brackets, in ASCII only. All full means all is played,
  /// nothing else does. What is not known, NaN included, is shown as nothing; empty for less than three columns.
  static func text(_ progress: Double?, columns: Int) -> String {
    guard columns > 2 else { return "" }
    let cells = columns - 2
    // NaN would pass for 1 in `min`.
    let part = progress.map { $0.isNaN ? 0 : max(0, min(1, $0)) } ?? 0
    let full = Int(part * Double(cells))
    return "[" + String(repeating: "#", count: full) + String(repeating: "-", count: cells - full) + "]"
  }
}
