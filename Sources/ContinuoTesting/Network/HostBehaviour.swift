import HostTime
import Transfer

/// How a connection ends too early.
struct Cut: Hashable {
  enum Ending { case close, reset, hang }

  let after: Int64
  let ending: Ending

  init(after bytes: Int, _ ending: Ending) {
    after = Int64(max(0, bytes))
    self.ending = ending
  }
}

/// Another medium from some request on.
struct Change: Hashable {
  var requestsLeft: Int
  var url: WebURL
}

/// What is wrong with a host.
struct Behaviour: Hashable {
  /// Of the connections that come first.
  var cuts: [Cut] = []
  /// Of those behind them.
  var always: Cut?
  var lifetime: Duration?
  var idleLimit: Duration?
  var hasRanges = true
  var tellsLength = true
  var delay = Duration.zero
  /// Of the next requests.
  var statuses: [Int] = []
  var change: Change?
  var refuses = false
  /// What requests must have, or they are answered with 401.
  var credentials: Credentials?

  /// The cut of a connection that begins now.
  mutating func takeCut() -> Cut? { cuts.isEmpty ? always : cuts.removeFirst() }

  mutating func takeStatus() -> Int? { statuses.isEmpty ? nil : statuses.removeFirst() }

  /// What a request for `url` that comes now is taken for.
  mutating func resolve(_ url: WebURL) -> WebURL {
    guard let present = change else { return url }
    guard present.requestsLeft > 0 else { return present.url }
    change?.requestsLeft -= 1
    return url
  }
}
