import CThreads
import Glibc

/// A POSIX semaphore that waits against CLOCK_MONOTONIC: no jump of the wall clock moves a deadline.
///
/// On the heap, because a `sem_t` must not move while anyone uses it and Swift gives a stored property no fixed
/// address. One owner; whoever waits or posts keeps that owner alive.
package struct Semaphore: ~Copyable {
  private let handle: UnsafeMutablePointer<sem_t>

  /// A semaphore at 0.
  package init() {
    handle = .allocate(capacity: 1)
    // Fails only for a value above SEM_VALUE_MAX.
    sem_init(handle, 0, 0)
  }

  deinit {
    sem_destroy(handle)
    handle.deallocate()
  }

  /// Raises it by one. Never blocks; safe on any thread.
  package func post() {
    sem_post(handle)
  }

  /// Waits until it is above 0 and lowers it.
  package func wait() {
    // EINTR is the only failure a valid semaphore has.
    while sem_wait(handle) != 0 {}
  }

  /// Waits until it is above 0 and lowers it, at most until `deadline`. Returns whether it was lowered.
  package func wait(until deadline: HostTime) -> Bool {
    let nanoseconds = max(0, deadline.nanoseconds)
    var moment = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    while continuo_sem_clockwait(handle, CLOCK_MONOTONIC, &moment) != 0 {
      if errno == ETIMEDOUT { return false }
    }
    return true
  }
}

// A semaphore is made to be used from several threads; the pointer is never changed after `init`.
extension Semaphore: @unchecked Sendable {}
