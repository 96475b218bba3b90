import HostTime

/// Decides when `play` gives up a named sound server: 10 s after the start if the server does not answer, and 10 s after the output
/// has failed if it was never open. A song whose bytes do not arrive does not count.
struct ServerWait {
  /// The next step at some moment.
  enum Step: Hashable {
    /// Do nothing before that moment.
    case wait(until: HostTime)
    /// No song has needed the output yet: ask the server whether it answers.
    case ask
    case giveUp
  }

  /// The time that the server has, in seconds.
  static let limit = 10.0

  /// The moment since which it is missing, as far as is known; nil if it answered last.
  private var missingSince: HostTime?
  private var hasFailed = false
  private var wasOpen = false

  /// A wait that begins at `start`.
  init(from start: HostTime) { missingSince = start }

  /// The next step; nil if there is none before the output fails, or none any more.
  func step(at now: HostTime) -> Step? {
    guard !wasOpen, let missingSince else { return nil }
    let end = missingSince.advanced(bySeconds: Self.limit)
    if now < end { return .wait(until: end) }
    return hasFailed ? .giveUp : .ask
  }

  /// The output is open. From now on it is waited for as long as it takes.
  mutating func opened() { wasOpen = true }

  /// The output could not be opened. True if a wait begins.
  mutating func failed(at now: HostTime) -> Bool {
    hasFailed = true
    guard !wasOpen, missingSince == nil else { return false }
    missingSince = now
    return true
  }

  /// The server has answered what `ask` asked for.
  mutating func answered() { missingSince = nil }
}
