package import Clocks
import SystemSupport

struct RetrySchedule: Sendable {
  /// The back-off after lost connections. New bytes restart it.
  private var backoff: Backoff
  private var lastStart: HostTime?

  init(seed: UInt64) { backoff = Backoff(first: 0.25, longest: 15, jitter: 0.1, seed: seed) }

  mutating func noteStart(at now: HostTime) { lastStart = now }

  /// Returns the delay in seconds after a connection with `news` new bytes, at least the `asked` delay that
  /// the server requested.
  mutating func delay(afterNews news: Int64, asked: Double?, at now: HostTime) -> Double {
    // A connection that brought any new byte restarts the back-off at 0.25 s.
    if news > 0 { backoff.reset() }
    let delay = news >= NetworkLimits.goodConnection ? 0 : backoff.fail()
    return max(delay, asked ?? 0, pause(at: now))
  }

  /// Returns the number of seconds from `now` until another request may be sent.
  func pause(at now: HostTime) -> Double {
    lastStart.map { max(0, 1 / Double(NetworkLimits.requestsPerSecond) - now.seconds(since: $0)) } ?? 0
  }
}

/// Limits the number of requests to each host within any second, across all senders of a transport.
package struct RequestPace: Sendable {
  private let limit: Int
  /// The times of each host's last requests, at most `limit`, oldest first.
  private var past: [String: [HostTime]] = [:]

  package init(limit: Int = NetworkLimits.requestsPerSecond) { self.limit = max(1, limit) }

  /// Returns the earliest time of the next request to `host`. Reserves nothing, so that a cancelled request
  /// delays no other.
  package func moment(of host: String, at now: HostTime) -> HostTime {
    guard let times = past[host], times.count == limit, let oldest = times.first else { return now }
    return max(now, oldest.advanced(bySeconds: 1))
  }

  package mutating func record(_ host: String, at now: HostTime) {
    past = past.filter { _, times in times.last.map { now.seconds(since: $0) < 1 } ?? false }
    past[host, default: []].append(now)
    if let count = past[host]?.count, count > limit { past[host]?.removeFirst(count - limit) }
  }
}
