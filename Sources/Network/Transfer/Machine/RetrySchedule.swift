import HostTime

/// The back-off between connections.
struct RetrySchedule: Sendable {
  private static let delays = [0.25, 0.5, 1, 2, 4, 8, 15]

  /// Consecutive lost connections that brought no new bytes.
  private var failures = 0
  private var lastStart: HostTime?
  /// The state of SplitMix64, for a jitter of ±10 %.
  private var random: UInt64

  init(seed: UInt64) { random = seed }

  mutating func noteStart(at now: HostTime) { lastStart = now }

  /// The delay in seconds from `now` to the next connection after one that brought `news` new bytes.
  ///
  /// - Parameter asked: the delay in seconds that the server asked for.
  mutating func delay(afterNews news: Int64, asked: Double?, at now: HostTime) -> Double {
    var delay = 0.0
    if news >= NetworkLimits.goodConnection {
      failures = 0
    } else {
      // A connection that brought any new byte restarts the back-off at 0.25 s.
      failures = news > 0 ? 1 : failures + 1
      delay = Self.delays[min(failures, Self.delays.count) - 1] * (0.9 + 0.2 * nextFraction())
    }
    return max(delay, asked ?? 0, pause(at: now))
  }

  /// Seconds from `now` until another request may be sent.
  func pause(at now: HostTime) -> Double {
    lastStart.map { max(0, 1 / Double(NetworkLimits.requestsPerSecond) - now.seconds(since: $0)) } ?? 0
  }

  private mutating func nextFraction() -> Double {
    random &+= 0x9E37_79B9_7F4A_7C15
    var word = random
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return Double((word ^ (word >> 31)) >> 11) / Double(1 << 53)
  }
}
