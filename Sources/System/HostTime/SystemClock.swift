import Glibc

/// The CLOCK_MONOTONIC clock, whose workers are threads.
///
/// The clock stops while the machine sleeps, as PulseAudio's does.
package final class SystemClock: HostClock {
  /// The process-wide clock; it has no state.
  package static let shared = SystemClock()

  private init() {}

  /// The nanoseconds since the system's start. Thread-safe; a vDSO read of about 25 ns.
  package var now: HostTime {
    var moment = timespec()
    // CLOCK_MONOTONIC exists on every Linux, so the call cannot fail.
    clock_gettime(CLOCK_MONOTONIC, &moment)
    return HostTime(nanoseconds: Int64(moment.tv_sec) * 1_000_000_000 + Int64(moment.tv_nsec))
  }

  /// Starts a worker thread with a stack of 512 KiB. All signals are blocked on it except those of a crash,
  /// so that SIGINT and similar signals reach the threads that expect them.
  ///
  /// The worker ends with `cancel()` or with its last reference. Its own thread releases the body before
  /// `cancel()` returns. A run that releases the worker's last reference is completed first.
  package func makeWorker(_ name: String, body: @escaping @Sendable () -> WorkerNext) -> any Worker {
    SystemWorker(name: name, clock: self, body: body)
  }
}
