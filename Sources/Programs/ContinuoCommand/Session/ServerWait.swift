import Clocks

/// Decides when `play` gives up a sound server that no private one may replace: 10 s after the start or, if
/// the server has answered, 10 s after the output's failure. Once the output was open, there is no limit. If
/// no song has needed the output, for example because its bytes do not arrive, a probe decides.
struct ServerWait {
  enum Step: Hashable {
    case wait(until: HostTime)
    /// Probe the server, because no song has needed the output yet.
    case ask
    case giveUp
  }

  static let limit = 10.0

  /// The start of the wait; nil after an answer, until the output fails.
  private var missingSince: HostTime?
  private var hasFailed = false
  private var wasOpen = false

  init(from start: HostTime) { missingSince = start }

  /// Returns the next step; nil after an answer, until the output fails, and permanently once it was open.
  func step(at now: HostTime) -> Step? {
    guard !wasOpen, let missingSince else { return nil }
    let end = missingSince.advanced(bySeconds: Self.limit)
    if now < end { return .wait(until: end) }
    return hasFailed ? .giveUp : .ask
  }

  /// Records that the output is open. From now on, waits have no limit.
  mutating func opened() { wasOpen = true }

  /// Records that the output could not be opened. Returns true if a wait begins.
  mutating func failed(at now: HostTime) -> Bool {
    hasFailed = true
    guard !wasOpen, missingSince == nil else { return false }
    missingSince = now
    return true
  }

  mutating func answered() { missingSince = nil }
}
