import HostTime

/// The time that an application has for its tasks in the background. It runs like a stop-watch: on while only tasks
/// keep the application running, off while sound or a fetch does and while it is suspended, and back to zero when
/// the application comes to the front.
struct BackgroundBudget: Hashable, Sendable {
  private let total: Int64
  private let warning: Int64
  private var usedBefore: Int64 = 0
  private var runningSince: HostTime?

  init(settings: LifecycleSettings) {
    total = Int64((settings.backgroundTime * 1e9).rounded())
    warning = min(total, Int64((settings.expirationWarning * 1e9).rounded()))
  }

  /// Whether time is being used up.
  var isRunning: Bool { runningSince != nil }

  /// When no more than the warning is left; nil while it does not run.
  var warningTime: HostTime? { moment(left: warning) }

  /// When nothing is left; nil while it does not run.
  var endTime: HostTime? { moment(left: 0) }

  /// Nanoseconds used at `now`, never more than there are.
  func used(at now: HostTime) -> Int64 {
    let running = runningSince.map { max(0, now.nanoseconds - $0.nanoseconds) } ?? 0
    return min(total, usedBefore + running)
  }

  /// Nanoseconds left at `now`, never negative.
  func left(at now: HostTime) -> Int64 { total - used(at: now) }

  /// Lets it run from `now` on.
  mutating func start(at now: HostTime) {
    if runningSince == nil { runningSince = now }
  }

  /// Stops it at `now`.
  mutating func stop(at now: HostTime) {
    usedBefore = used(at: now)
    runningSince = nil
  }

  /// Has no less left than the warning.
  mutating func reserveWarning(at now: HostTime) {
    let used = min(used(at: now), total - warning)
    usedBefore = used
    if runningSince != nil { runningSince = now }
  }

  /// Stops it and gives all time back.
  mutating func reset() {
    usedBefore = 0
    runningSince = nil
  }

  private func moment(left: Int64) -> HostTime? {
    runningSince.map { HostTime(nanoseconds: $0.nanoseconds + (total - left - usedBefore)) }
  }
}
