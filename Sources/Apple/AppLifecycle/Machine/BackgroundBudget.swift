import Clocks

/// A stopwatch for the background time of an application's tasks. It runs while the application runs in the
/// background. It pauses during suspension, and while a reason besides tasks keeps the application running.
/// Entering the foreground resets it.
struct BackgroundBudget: Hashable, Sendable {
  private let total: Int64
  private let warning: Int64
  private var usedBefore: Int64 = 0
  private var runningSince: HostTime?

  init(settings: LifecycleSettings) {
    total = Int64((settings.backgroundTime * 1e9).rounded())
    warning = min(total, Int64((settings.expirationWarning * 1e9).rounded()))
  }

  var isRunning: Bool { runningSince != nil }

  /// The time at which only the warning period remains; nil while the stopwatch is paused.
  var warningTime: HostTime? { moment(left: warning) }
  /// The time at which no time remains; nil while the stopwatch is paused.
  var endTime: HostTime? { moment(left: 0) }

  /// Returns the nanoseconds used at `now`, at most the total.
  func used(at now: HostTime) -> Int64 {
    let running = runningSince.map { max(0, now.nanoseconds - $0.nanoseconds) } ?? 0
    return min(total, usedBefore + running)
  }

  /// Returns the nanoseconds left at `now`, never negative.
  func left(at now: HostTime) -> Int64 { total - used(at: now) }

  /// Starts the stopwatch at `now`, unless it is already running.
  mutating func start(at now: HostTime) { runningSince = runningSince ?? now }

  mutating func stop(at now: HostTime) {
    usedBefore = used(at: now)
    runningSince = nil
  }

  /// Raises the remaining time to at least the warning period.
  mutating func reserveWarning(at now: HostTime) {
    usedBefore = min(used(at: now), total - warning)
    if runningSince != nil { runningSince = now }
  }

  /// Stops the stopwatch and restores the full budget.
  mutating func reset() {
    usedBefore = 0
    runningSince = nil
  }

  private func moment(left: Int64) -> HostTime? {
    runningSince.map { HostTime(nanoseconds: $0.nanoseconds + (total - left - usedBefore)) }
  }
}
