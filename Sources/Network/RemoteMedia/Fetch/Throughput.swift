import Clocks
import Transfer

/// The transfer rate over the last seconds in which bytes were wanted. A pure value.
struct Throughput: Sendable {
  /// The averaging window in seconds.
  static let window = 5.0
  /// The minimum number of bytes for a meaningful rate.
  static let least: Int64 = 8 * 1024

  private struct Piece {
    var start: Double
    var count: Int64
  }

  private static let interval = 0.25

  private var pieces: [Piece] = []
  /// Seconds in which bytes were wanted, up to `since`.
  private var seconds = 0.0
  /// The time since which bytes are wanted; nil while they are not.
  private var since: HostTime?
  private var count: Int64 = 0

  /// Sets whether bytes are wanted from now on. Time in which they are not wanted does not count.
  mutating func setWanted(_ isWanted: Bool, at now: HostTime) {
    guard isWanted != (since != nil) else { return }
    seconds = elapsed(at: now)
    since = isWanted ? now : nil
  }

  mutating func add(_ bytes: Int, at now: HostTime) {
    count += Int64(bytes)
    let elapsed = elapsed(at: now)
    if let last = pieces.indices.last, elapsed < pieces[last].start + Self.interval {
      pieces[last].count += Int64(bytes)
      return
    }
    pieces.removeAll { $0.start + Self.interval <= elapsed - Self.window }
    pieces.append(Piece(start: elapsed, count: Int64(bytes)))
  }

  /// Returns the rate in bytes per second; nil until `least` bytes have arrived.
  func bytesPerSecond(at now: HostTime) -> Double? {
    guard count >= Self.least else { return nil }
    let elapsed = elapsed(at: now)
    let begin = max(0, elapsed - Self.window)
    let sum = pieces.reduce(0) { sum, piece in
      let inside = (piece.start + Self.interval - begin) / Self.interval
      return sum + Double(piece.count) * min(1, max(0, inside))
    }
    // The duration is at least a millisecond, because bytes may arrive all at once.
    return sum / max(elapsed - begin, 0.001)
  }

  private func elapsed(at now: HostTime) -> Double {
    seconds + (since.map { max(0, now.seconds(since: $0)) } ?? 0)
  }
}

/// Counts received bytes and schedules progress reports.
struct ProgressMeter {
  /// The minimum interval between reports that `isDue` permits, in seconds.
  private static let interval = 0.5
  /// The maximum time, in seconds, by which a gap between bytes increases the transfer time.
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
