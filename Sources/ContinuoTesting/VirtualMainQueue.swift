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

  private func runNext() -> Bool {
    guard let work = state.withLock({ $0.work.popFirst() }) else { return false }
    work()
    return true
  }

  /// What `step` has done.
  enum Step {
    /// A piece of this queue's work.
    case work
    /// Time has passed, and what had threads of its own has run.
    case time
  }

  /// Runs the oldest piece of work, or if there is none, lets `clock` come to its next moment up to `limit`; nil if it
  /// has none. On the main thread.
  func step(_ clock: VirtualClock, until limit: HostTime) -> Step? {
    if runNext() { return .work }
    guard let due = clock.nextDeadline, due <= limit else { return nil }
    aside { clock.advance(to: due) }
    return .time
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
