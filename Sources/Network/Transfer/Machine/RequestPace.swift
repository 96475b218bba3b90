package import HostTime

/// Limits the requests to each host to a number within any second, across all senders.
package struct RequestPace: Sendable {
  private let limit: Int
  /// The times of each host's last requests, at most `limit`, oldest first.
  private var past: [String: [HostTime]] = [:]

  package init(limit: Int = NetworkLimits.requestsPerSecond) { self.limit = max(1, limit) }

  /// The earliest time of the next request to `host`. Reserves nothing: a cancelled request delays no other.
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
