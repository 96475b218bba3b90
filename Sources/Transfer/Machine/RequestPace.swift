package import HostTime

/// When requests may go out, so that no host gets more than so many within a second, whoever asks.
package struct RequestPace: Sendable {
  /// Requests within a second.
  private let limit: Int
  /// The last moments of each host, at most `limit`, the oldest first.
  private var moments: [String: [HostTime]] = [:]

  /// No host gets more than `limit` requests within a second.
  package init(limit: Int = NetworkLimits.requestsPerSecond) { self.limit = max(1, limit) }

  /// When a request to `host` may go out: now, or later if there were too many. That it goes out then is noted.
  package mutating func moment(of host: String, at now: HostTime) -> HostTime {
    moments = moments.filter { _, past in past.last.map { now.seconds(since: $0) < 1 } ?? false }
    var past = moments[host] ?? []
    var moment = now
    if past.count == limit { moment = max(now, past.removeFirst().advanced(bySeconds: 1)) }
    past.append(moment)
    moments[host] = past
    return moment
  }
}
