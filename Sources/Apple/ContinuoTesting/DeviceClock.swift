import Clocks

/// The clock of a test device, for application code that takes `any Clock<Duration>`.
/// Like `ContinuousClock` on a phone, it keeps running during a suspension. Sleeps whose deadlines pass
/// during a suspension end on resumption, in the order of the deadlines. In a terminated application, sleeps
/// end only when their tasks are cancelled or the test ends, and then throw `CancellationError`.
///
/// Awakened main-actor tasks run until they wait again before time advances. Other tasks wake at the same
/// virtual time, but the system decides when they run.
public struct DeviceClock: Clock {
  /// A time on a test device's clock, which starts at 0 with the test.
  public struct Instant: InstantProtocol {
    /// The time since the device's start.
    public var sinceStart: Duration

    /// Creates the time at `sinceStart` after the device's start.
    public init(sinceStart: Duration) { self.sinceStart = sinceStart }

    /// Returns the time later by `duration`.
    public func advanced(by duration: Duration) -> Instant { Instant(sinceStart: sinceStart + duration) }

    /// Returns the duration from this time to `other`.
    public func duration(to other: Instant) -> Duration { other.sinceStart - sinceStart }

    /// Returns whether `lhs` precedes `rhs`.
    public static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.sinceStart < rhs.sinceStart }
  }

  let timers: ApplicationTimers

  /// The current time. Any thread.
  public var now: Instant { Instant(sinceStart: Duration(timers.now)) }

  /// The resolution of the clock: 1 ns.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Suspends the task until `deadline`, to the nanosecond regardless of `tolerance`. If the application is
  /// suspended at `deadline`, suspends the task until the application resumes. Returns immediately if `deadline` has
  /// passed. Throws `CancellationError` as soon as the task is cancelled or the test ends.
  @MainActor public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try Task.checkCancellation()
    guard deadline > now else { return }
    let id = timers.makeID()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        timers.add(id, due: HostTime(deadline.sinceStart)) { outcome in
          continuation.resume(with: outcome == .due ? .success(()) : .failure(CancellationError()))
        }
        // The cancellation handler had no effect if the task was cancelled before the timer was added.
        if Task.isCancelled { timers.cancel(id) }
      }
    } onCancel: {
      timers.cancel(id)
    }
  }
}

extension HostTime {
  /// Creates the time at `duration` after a clock's start, clamped to the range of nanoseconds.
  init(_ duration: Duration) {
    self.init(nanoseconds: Int64(clamping: duration.attoseconds / 1_000_000_000))
  }

  /// Returns the time later by `duration`, clamped to the range of nanoseconds.
  func advanced(by duration: Duration) -> HostTime { HostTime(Duration(self) + duration) }
}

extension Duration {
  init(_ moment: HostTime) { self = .nanoseconds(moment.nanoseconds) }
}
