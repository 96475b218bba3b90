import Clocks
import DequeModule
import Synchronization

/// The main queue of an application in virtual time. The test device runs its work, piece by piece, on the
/// main thread, so that the tasks caused by one piece run before the next. The main thread also advances the
/// clock, and thereby runs the workers (decoding, output, watchdog), which have no threads of their own in
/// virtual time. While the clock advances, and during a user's event, `isCurrent` is false.
final class VirtualMainQueue: DeliveryQueue {
  private struct State {
    var work = Deque<QueuedWork>()
    /// Whether the main thread acts as another thread: it advances the clock, or makes a user's event happen.
    var isAside = false
  }

  private let state = Mutex(State())

  func enqueue(_ work: QueuedWork) { state.withLock { $0.work.append(work) } }

  var isCurrent: Bool { MainDispatchQueue.isCurrent && !state.withLock { $0.isAside } }

  var isEmpty: Bool { state.withLock { $0.work.isEmpty } }

  /// Runs the oldest piece of work; returns false if none is pending. Must be called on the main thread.
  func runNext() -> Bool {
    guard let work = state.withLock({ $0.work.popFirst() }) else { return false }
    work.run()
    return true
  }

  /// Advances `clock` to `moment`, or until work is pending on this queue. Must be called on the main thread.
  func advance(_ clock: VirtualClock, to moment: HostTime) {
    aside { clock.advance(to: moment) { !isEmpty } }
  }

  func aside<Result>(_ body: () throws -> Result) rethrows -> Result {
    let before = state.withLock { state in
      defer { state.isAside = true }
      return state.isAside
    }
    defer { state.withLock { $0.isAside = before } }
    return try body()
  }

  /// Discards the pending work, which is released outside the lock.
  func clear() {
    var dropped = Deque<QueuedWork>()
    state.withLock { swap(&$0.work, &dropped) }
  }
}
