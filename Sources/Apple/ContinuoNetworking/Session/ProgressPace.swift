import Clocks

/// Limits progress reports to one per 0.1 s, and only after the delivery of the previous one.
struct ProgressPace {
  /// The interval between reports in seconds.
  private static let interval = 0.1

  /// The byte count of the last delivered report.
  private var told: Int64
  private var last: HostTime?
  private var isTelling = false

  init(from told: Int64 = 0) { self.told = told }

  /// Returns whether to send a report at `now`; the report is then pending until `take`. The last report does
  /// not wait for the interval.
  mutating func isDue(at now: HostTime, isLast: Bool) -> Bool {
    guard !isTelling, isLast || last.map({ now.seconds(since: $0) >= Self.interval }) ?? true else {
      return false
    }
    isTelling = true
    last = now
    return true
  }

  /// Records the delivery of a report of `total` bytes. Returns the number of new bytes.
  mutating func take(_ total: Int64) -> Int64 {
    defer { told = total }
    isTelling = false
    return total - told
  }
}
