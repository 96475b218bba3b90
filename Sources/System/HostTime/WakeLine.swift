import Synchronization

/// The wake-up channel between a worker's thread and its signallers.
///
/// Only the thread itself enters `waiting`, so each wait ended by a signal gets exactly one post. The
/// semaphore never accumulates, and signalling a running or already signalled worker costs no system call.
final class WakeLine: Sendable {
  private static let running: UInt8 = 0
  private static let signalled: UInt8 = 1
  private static let waiting: UInt8 = 2

  private let state = Atomic<UInt8>(WakeLine.running)
  private let cancelled = Atomic<Bool>(false)
  private let semaphore = Semaphore()
  private let ended = Semaphore()

  /// Ends the present or the next wait. Thread-safe; never blocks.
  func signal() {
    // The exchange also publishes the caller's earlier writes to the following run.
    if state.exchange(Self.signalled, ordering: .acquiringAndReleasing) == Self.waiting { semaphore.post() }
  }

  /// Prevents further runs. Thread-safe; never blocks.
  func cancel() {
    cancelled.store(true, ordering: .releasing)
    signal()
  }

  /// Consumes a pending signal. Returns false if no further run may begin. Worker's thread only.
  func beginRun() -> Bool {
    _ = state.exchange(Self.running, ordering: .acquiringAndReleasing)
    return !cancelled.load(ordering: .acquiring)
  }

  /// Waits for a signal, at most until `deadline`. Worker's thread only.
  func wait(until deadline: HostTime?) {
    guard
      state.compareExchange(
        expected: Self.running, desired: Self.waiting, ordering: .acquiringAndReleasing
      ).exchanged
    else { return }
    guard let deadline else { return semaphore.wait() }
    if semaphore.wait(until: deadline) { return }
    // Timeout. If a signal changed the state just now, its post is pending and belongs to this wait.
    if !state.compareExchange(
      expected: Self.waiting, desired: Self.running, ordering: .acquiringAndReleasing
    ).exchanged {
      semaphore.wait()
    }
  }

  /// Signals that no run is in progress and none will follow. Worker's thread, once.
  func end() { ended.post() }

  /// Waits until `end` was called. Any number of threads may wait.
  func waitForEnd() {
    ended.wait()
    ended.post()
  }
}
