import HostTime

/// The clock of a test device, for application code that takes `any Clock<Duration>`.
///
/// Like `ContinuousClock` on a phone it keeps running while the application is suspended. A sleep that ends
/// meanwhile wakes its task when the application runs again; several wake in the order in which they ended.
/// In a terminated application no sleep ends: it throws `CancellationError` when the test is over.
///
/// Tasks of the main actor that wake run to their next `await` before time goes on. Other tasks wake at the
/// same moment of virtual time, but when they run is up to the system.
public struct DeviceClock: Clock {
  /// A moment on a test device's clock, which starts at 0 with the test.
  public struct Instant: InstantProtocol {
    /// The time since the device's start.
    public var sinceStart: Duration

    /// The moment `sinceStart` after the device's start.
    public init(sinceStart: Duration) { self.sinceStart = sinceStart }

    /// The moment that much later.
    public func advanced(by duration: Duration) -> Instant { Instant(sinceStart: sinceStart + duration) }

    /// The time from here to `other`.
    public func duration(to other: Instant) -> Duration { other.sinceStart - sinceStart }

    /// Whether `lhs` comes before `rhs`.
    public static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.sinceStart < rhs.sinceStart }
  }

  let timers: ApplicationTimers

  /// The present moment. Any thread.
  public var now: Instant { Instant(sinceStart: Duration(timers.now)) }

  /// One nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Returns at `deadline` (to the nanosecond, whatever `tolerance` says), or when the application runs again
  /// after it. Throws `CancellationError` as soon as the task is cancelled.
  @MainActor
  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try Task.checkCancellation()
    guard deadline > now else { return }
    let id = timers.makeID()
    let moment = HostTime(deadline.sinceStart)
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        timers.add(id, due: moment) { outcome in
          switch outcome {
          case .due: continuation.resume()
          case .cancelled: continuation.resume(throwing: CancellationError())
          }
        }
        // Cancelled before there was anything to cancel.
        if Task.isCancelled { timers.cancel(id) }
      }
    } onCancel: {
      timers.cancel(id)
    }
  }
}
