import DequeModule
import HostTime
import Synchronization

/// The main queue of an application in virtual time. Its work is run by the test device, piece by piece, on
/// the main thread, so that the tasks that follow from one piece run before the next.
///
/// The main thread plays two parts: it runs the application's code, and it moves the clock, which then runs
/// all that has threads of its own in real life (decoding, output, watchdog). Only in the first part the
/// caller is on this queue.
final class VirtualMainQueue: DeliveryQueue {
  private struct State {
    var work = Deque<@Sendable () -> Void>()
    /// Whether the main thread runs the clock.
    var isAside = false
  }

  private let state = Mutex(State())

  func enqueue(_ work: @escaping @Sendable () -> Void) { state.withLock { $0.work.append(work) } }

  /// Whether the caller runs on this queue.
  var isCurrent: Bool { MainDispatchQueue.isCurrent && !state.withLock { $0.isAside } }

  /// Whether nothing waits.
  var isEmpty: Bool { state.withLock { $0.work.isEmpty } }

  /// Runs the oldest piece of work; false if there is none. On the main thread.
  func runNext() -> Bool {
    guard let work = state.withLock({ $0.work.popFirst() }) else { return false }
    work()
    return true
  }

  /// Lets `clock` run up to `moment`, but lets no time pass once there is work here. On the main thread.
  func advance(_ clock: VirtualClock, to moment: HostTime) {
    aside { clock.advance(to: moment) { !isEmpty } }
  }

  /// Runs `body` as something that is not the application.
  func aside<Result>(_ body: () throws -> Result) rethrows -> Result {
    let before = state.withLock { state in
      defer { state.isAside = true }
      return state.isAside
    }
    defer { state.withLock { $0.isAside = before } }
    return try body()
  }

  /// Drops the work that is waiting.
  func clear() {
    let dropped = state.withLock { state in
      defer { state.work = [] }
      return state.work
    }
    withExtendedLifetime(dropped) {}
  }
}
