import CThreads
import Glibc

/// A POSIX semaphore that waits on CLOCK_MONOTONIC, so that changes of the wall clock do not move deadlines.
/// The `sem_t` is allocated on the heap, because it must not move while in use, and Swift gives a stored
/// property no fixed address. The owner must keep the semaphore alive while any thread waits or posts.
package struct Semaphore: ~Copyable {
  private let handle: UnsafeMutablePointer<sem_t>

  package init() {
    handle = .allocate(capacity: 1)
    // Fails only for values above SEM_VALUE_MAX.
    sem_init(handle, 0, 0)
  }

  deinit {
    sem_destroy(handle)
    handle.deallocate()
  }

  /// Increments the value, which wakes a waiting thread. Never blocks.
  package func post() { sem_post(handle) }

  package func wait() {
    // EINTR is the only failure of a valid semaphore.
    while sem_wait(handle) != 0 {}
  }

  /// Waits for a value above 0, at most until `deadline`, and decrements it. Returns false after a timeout.
  package func wait(until deadline: HostTime) -> Bool {
    let nanoseconds = max(0, deadline.nanoseconds)
    var moment = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    while continuo_sem_clockwait(handle, CLOCK_MONOTONIC, &moment) != 0 {
      if errno == ETIMEDOUT { return false }
    }
    return true
  }
}

// Semaphores are designed for use from several threads; the pointer never changes after `init`.
extension Semaphore: @unchecked Sendable {}

/// A thread that waits, as an element of a list of waiting threads.
package final class Waiter: Sendable {
  package let semaphore = Semaphore()

  package init() {}
}
