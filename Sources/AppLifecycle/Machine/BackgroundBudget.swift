import HostTime

/// The time that an application has for its tasks in the background. Works like a stopwatch: it runs while
/// the application runs in the background, stands still while sound or a fetch keeps the application running
/// and while it is suspended, and is reset when the application comes to the front.
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

  /// When only the time of the warning is left; nil while the budget does not run.
  var warningTime: HostTime? { moment(left: warning) }

  /// When nothing is left; nil while the budget does not run.
  var endTime: HostTime? { moment(left: 0) }

  /// Nanoseconds used at `now`, at most the total.
  func used(at now: HostTime) -> Int64 {
    let running = runningSince.map { max(0, now.nanoseconds - $0.nanoseconds) } ?? 0
    return min(total, usedBefore + running)
  }

  /// Nanoseconds left at `now`, never negative.
  func left(at now: HostTime) -> Int64 { total - used(at: now) }

  /// Starts it at `now`, unless it runs already.
  mutating func start(at now: HostTime) {
    if runningSince == nil { runningSince = now }
  }

  /// Stops it at `now`.
  mutating func stop(at now: HostTime) {
    usedBefore = used(at: now)
    runningSince = nil
  }

  /// Raises what is left to at least the time of the warning.
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
