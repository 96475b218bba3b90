import HostTime
import SystemSupport

struct RetrySchedule: Sendable {
  /// Counts consecutive lost connections that brought no new bytes.
  private var backoff: Backoff
  private var lastStart: HostTime?

  init(seed: UInt64) { backoff = Backoff(first: 0.25, longest: 15, jitter: 0.1, seed: seed) }

  mutating func noteStart(at now: HostTime) { lastStart = now }

  /// The delay in seconds to the next connection after one that brought `news` new bytes. `asked`: the delay
  /// in seconds that the server asked for.
  mutating func delay(afterNews news: Int64, asked: Double?, at now: HostTime) -> Double {
    // A connection that brought any new byte restarts the back-off at 0.25 s.
    if news > 0 { backoff.reset() }
    let delay = news >= NetworkLimits.goodConnection ? 0 : backoff.fail()
    return max(delay, asked ?? 0, pause(at: now))
  }

  /// Seconds from `now` until another request may be sent.
  func pause(at now: HostTime) -> Double {
    lastStart.map { max(0, 1 / Double(NetworkLimits.requestsPerSecond) - now.seconds(since: $0)) } ?? 0
  }
}
