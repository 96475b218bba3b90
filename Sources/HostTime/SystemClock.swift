import Glibc

/// CLOCK_MONOTONIC, and workers that are threads.
///
/// The clock stands still while the machine sleeps, as PulseAudio's does.
package final class SystemClock: HostClock {
  /// The one clock of the process; it has no state.
  package static let shared = SystemClock()

  private init() {}

  /// Nanoseconds since the system's start. Any thread; a vDSO read of about 25 ns.
  package var now: HostTime {
    var moment = timespec()
    // Cannot fail: every Linux has this clock.
    clock_gettime(CLOCK_MONOTONIC, &moment)
    return HostTime(nanoseconds: Int64(moment.tv_sec) * 1_000_000_000 + Int64(moment.tv_nsec))
  }

  /// Starts a thread with a stack of 512 KiB on which all signals are blocked but those of a crash, so that
  /// SIGINT and its kind reach the threads that expect them.
  ///
  /// The worker ends with `cancel()` or when its last reference goes. Its body is released by its own thread, before
  /// `cancel()` returns; a run that releases the worker's last reference itself is finished first.
  package func makeWorker(_ name: String, body: @escaping @Sendable () -> WorkerNext) -> any Worker {
    SystemWorker(name: name, clock: self, body: body)
  }
}
