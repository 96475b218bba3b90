import HostTime
import Transfer

/// Counts received bytes and schedules progress reports.
struct ProgressMeter {
  /// The interval between reports in seconds.
  private static let interval = 0.5
  /// The longest gap between bytes, in seconds, that counts as transfer time.
  private static let pause = 1.0

  private var progress = TransferProgress()
  private var lastBytes: HostTime?
  private var lastTold: HostTime?
  /// Whether bytes have arrived since the last report.
  private(set) var hasNews = false

  mutating func take(_ inputs: [TransferInput], at now: HostTime) {
    var count = 0
    for input in inputs {
      switch input {
      case .event(.body(let bytes), _): count += bytes.count
      case .event(.head, _): lastBytes = lastBytes ?? now
      default: break
      }
    }
    guard count > 0 else { return }
    if let lastBytes { progress.seconds += min(now.seconds(since: lastBytes), Self.pause) }
    lastBytes = now
    progress.received += Int64(count)
    hasNews = true
  }

  func isDue(at now: HostTime) -> Bool {
    hasNews && lastTold.map { now.seconds(since: $0) >= Self.interval } ?? true
  }

  /// Returns the progress and records that it is reported now.
  mutating func tell(stored: Int64, total: Int64?, at now: HostTime) -> TransferProgress {
    lastTold = now
    hasNews = false
    progress.stored = stored
    progress.total = total
    return progress
  }
}
