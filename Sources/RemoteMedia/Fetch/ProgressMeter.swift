import HostTime
import Transfer

/// Counts what connections bring, and says when that is to be told.
struct ProgressMeter {
  /// Seconds between two times at which it is told.
  private static let interval = 0.5
  /// The longest pause in seconds that counts as time in which bytes came.
  private static let pause = 1.0

  private var progress = TransferProgress()
  private var lastBytes: HostTime?
  private var lastTold: HostTime?
  /// Whether bytes came since it was told.
  private(set) var hasNews = false

  /// Counts the bytes among `inputs`.
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

  /// Whether it is time to tell.
  func isDue(at now: HostTime) -> Bool {
    hasNews && lastTold.map { now.seconds(since: $0) >= Self.interval } ?? true
  }

  /// What is told now.
  mutating func tell(stored: Int64, total: Int64?, at now: HostTime) -> TransferProgress {
    lastTold = now
    hasNews = false
    progress.stored = stored
    progress.total = total
    return progress
  }
}
