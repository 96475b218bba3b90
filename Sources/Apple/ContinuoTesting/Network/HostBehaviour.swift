import HostTime
import Transfer

/// A premature end of a connection.
struct Cut: Hashable {
  enum Ending { case close, reset, hang }

  let after: Int64
  let ending: Ending

  init(after bytes: Int, _ ending: Ending) {
    after = Int64(max(0, bytes))
    self.ending = ending
  }
}

/// The replacement of a URL's content after a number of requests.
struct Change: Hashable {
  var requestsLeft: Int
  var url: WebURL
}

/// The simulated faults of a host.
struct Behaviour: Hashable {
  /// The cuts of the next connections, one each.
  var cuts: [Cut] = []
  /// The cut of all connections after those in `cuts`.
  var always: Cut?
  var lifetime: Duration?
  var idleLimit: Duration?
  var hasRanges = true
  var tellsLength = true
  var delay = Duration.zero
  /// The statuses of the next requests.
  var statuses: [Int] = []
  var change: Change?
  var refuses = false
  /// The credentials that requests need; others are answered with 401.
  var credentials: Credentials?

  /// Removes and returns the cut of a new connection.
  mutating func takeCut() -> Cut? { cuts.isEmpty ? always : cuts.removeFirst() }

  mutating func takeStatus() -> Int? { statuses.isEmpty ? nil : statuses.removeFirst() }

  /// Returns the URL whose content answers a new request for `url`.
  mutating func resolve(_ url: WebURL) -> WebURL {
    guard let present = change else { return url }
    guard present.requestsLeft > 0 else { return present.url }
    change?.requestsLeft -= 1
    return url
  }
}
