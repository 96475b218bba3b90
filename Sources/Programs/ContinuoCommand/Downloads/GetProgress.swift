import Clocks
import TextFormatting

struct GetProgress: Sendable {
  private let name: String
  private var start: (time: HostTime, count: Int64)?
  private(set) var count: Int64 = 0
  private var total: Int64?
  private var time = HostTime(nanoseconds: 0)

  init(name: String) { self.name = TerminalText.sanitized(name) }

  mutating func note(_ count: Int64, total: Int64?, at now: HostTime) {
    // A new version of the file starts at 0 again.
    if count < self.count { start = nil }
    start = start ?? (now, count)
    (self.count, self.total, time) = (count, total, now)
  }

  private var bytesPerSecond: Double? {
    guard let start else { return nil }
    let seconds = time.seconds(since: start.time)
    return seconds >= 1 ? Double(count - start.count) / seconds : nil
  }

  /// Returns a line of at most `columns` columns. The name is shortened if necessary.
  func line(columns: Int) -> String {
    var text = "  \(ByteCountText.text(count))"
    if let total {
      text += " of \(ByteCountText.text(total))"
      if total > 0 { text += "  \(Int(Double(count) / Double(total) * 100)) %" }
    }
    if let rate = bytesPerSecond {
      text += "  \(ByteCountText.text(Int64(rate)))/s"
      if let total, rate > 0, total > count { text += "  \(Self.time(Double(total - count) / rate)) left" }
    }
    let room = max(8, columns - TerminalText.width(text))
    return TerminalText.truncated(TerminalText.truncated(name, columns: room) + text, columns: columns)
  }

  /// Returns a time as `0:05`, `12:34` or `1:02:03`.
  private static func time(_ seconds: Double) -> String {
    // At most 99:59:59, because a longer estimate has no use.
    let seconds = Int(min(seconds.rounded(.up), 359_999))
    func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let rest = "\(two(seconds % 60))"
    return seconds < 3_600
      ? "\(seconds / 60):\(rest)" : "\(seconds / 3_600):\(two(seconds / 60 % 60)):\(rest)"
  }
}
