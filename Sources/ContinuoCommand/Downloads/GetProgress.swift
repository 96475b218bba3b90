import HostTime
import TextFormatting

/// How far a download is, for a person.
struct GetProgress: Sendable {
  private let name: String
  private var start: (time: HostTime, count: Int64)?
  /// How many bytes are there.
  private(set) var count: Int64 = 0
  private var total: Int64?
  private var time = HostTime(nanoseconds: 0)

  /// The progress of the file of that name.
  init(name: String) { self.name = TerminalText.sanitized(name) }

  /// So many bytes are there of so many.
  mutating func note(_ count: Int64, total: Int64?, at now: HostTime) {
    // Another version begins with nothing.
    if count < self.count { start = nil }
    start = start ?? (now, count)
    (self.count, self.total, time) = (count, total, now)
  }

  private var bytesPerSecond: Double? {
    guard let start else { return nil }
    let seconds = time.seconds(since: start.time)
    return seconds >= 1 ? Double(count - start.count) / seconds : nil
  }

  /// One line, at most `columns` wide: the name gives way.
  func line(columns: Int) -> String {
    var text = "  \(ByteCountText.text(count))"
    if let total {
      text += " of \(ByteCountText.text(total))"
      if total > 0 { text += "  \(Int(Double(count) / Double(total) * 100)) %" }
    }
    if let rate = bytesPerSecond {
      text += "  \(ByteCountText.text(Int64(rate)))/s"
      if let total, rate > 0, total > count {
        text += "  \(Self.time(Double(total - count) / rate)) left"
      }
    }
    let room = max(8, columns - TerminalText.width(text))
    return TerminalText.truncated(TerminalText.truncated(name, columns: room) + text, columns: columns)
  }

  /// `0:05`, `12:34`, `1:02:03`.
  private static func time(_ seconds: Double) -> String {
    // A day is as good as for ever.
    let seconds = Int(min(seconds.rounded(.up), 359_999))
    func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let rest = "\(two(seconds % 60))"
    return seconds < 3_600
      ? "\(seconds / 60):\(rest)" : "\(seconds / 3_600):\(two(seconds / 60 % 60)):\(rest)"
  }
}
