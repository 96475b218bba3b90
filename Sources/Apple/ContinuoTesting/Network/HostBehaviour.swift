import Clocks
import DequeModule
import Transfer

struct Cut {
  enum Ending { case close, reset, hang }

  let after: Int64
  let ending: Ending

  init(after bytes: Int, _ ending: Ending) {
    after = Int64(max(0, bytes))
    self.ending = ending
  }
}

struct Behaviour {
  /// The cuts of the next connections, one for each connection whose answer has a body.
  var cuts: Deque<Cut> = []
  var always: Cut?
  var lifetime: Duration?
  var idleLimit: Duration?
  var hasRanges = true
  var tellsLength = true
  var delay = Duration.zero
  var statuses: Deque<Int> = []
  /// The replacement of the content after a number of requests.
  var change: (requestsLeft: Int, url: WebURL)?
  var refuses = false
  /// The required credentials; nil for none. Requests without them are answered with 401.
  var credentials: Credentials?

  /// Returns the URL whose content answers a new request for `url`, and counts the request for `change`.
  mutating func resolve(_ url: WebURL) -> WebURL {
    guard let present = change else { return url }
    guard present.requestsLeft > 0 else { return present.url }
    change?.requestsLeft -= 1
    return url
  }
}
