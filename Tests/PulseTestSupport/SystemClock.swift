public import AudioCore
import Glibc

/// The monotonic clock, for what needs only the time.
public final class SystemClock: HostClock {
  /// The clock.
  public init() {}

  /// CLOCK_MONOTONIC.
  public var now: HostTime {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return HostTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  /// Not for this clock.
  public func makeWorker(_ name: String, body: @escaping @Sendable () -> WorkerNext) -> any Worker {
    fatalError("SystemClock has no workers")
  }
}
