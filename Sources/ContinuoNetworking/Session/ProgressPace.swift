import HostTime

/// When an application is told how far a transfer is: not more often than every tenth of a second, and once more only when
/// it has taken the message before.
struct ProgressPace {
  /// Seconds between two messages.
  private static let interval = 0.1

  /// Bytes that it was told of.
  private var told: Int64
  private var last: HostTime?
  private var isTelling = false

  /// The application knows of `told` bytes.
  init(from told: Int64 = 0) { self.told = told }

  /// Whether a message is to be sent at `now`; then it is under way until `take`. The last one is not put off.
  mutating func isDue(at now: HostTime, isLast: Bool) -> Bool {
    guard !isTelling, isLast || last.map({ now.seconds(since: $0) >= Self.interval }) ?? true else {
      return false
    }
    isTelling = true
    last = now
    return true
  }

  /// The application takes the message, that there are `total` bytes. Returns how many of them are new.
  mutating func take(_ total: Int64) -> Int64 {
    defer { told = total }
    isTelling = false
    return total - told
  }
}
