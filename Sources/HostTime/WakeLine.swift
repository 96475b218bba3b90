import Synchronization

/// The line between those who signal a worker and its thread.
///
/// The thread alone moves it to `waiting`, so there is exactly one post for each wait that is ended by a signal: the
/// semaphore never counts up, and signalling a worker that runs or is signalled already costs no system call.
final class WakeLine: Sendable {
  private static let running: UInt8 = 0
  private static let signalled: UInt8 = 1
  private static let waiting: UInt8 = 2

  private let state = Atomic<UInt8>(WakeLine.running)
  private let cancelled = Atomic<Bool>(false)
  private let semaphore = Semaphore()
  private let ended = Semaphore()

  /// Ends the present or the next wait. Any thread; never blocks.
  func signal() {
    // The exchange also releases what the caller wrote before to the run that follows.
    if state.exchange(Self.signalled, ordering: .acquiringAndReleasing) == Self.waiting { semaphore.post() }
  }

  /// Lets no further run begin. Any thread; never blocks.
  func cancel() {
    cancelled.store(true, ordering: .releasing)
    signal()
  }

  /// Takes the signal that is there, if any. Returns false when there is to be no further run. Worker's thread.
  func beginRun() -> Bool {
    _ = state.exchange(Self.running, ordering: .acquiringAndReleasing)
    return !cancelled.load(ordering: .acquiring)
  }

  /// Waits for a signal, at most until `deadline`. Worker's thread.
  func wait(until deadline: HostTime?) {
    guard
      state.compareExchange(
        expected: Self.running, desired: Self.waiting, ordering: .acquiringAndReleasing
      ).exchanged
    else { return }
    guard let deadline else { return semaphore.wait() }
    if semaphore.wait(until: deadline) { return }
    // Too late to be signalled, unless someone has just left `waiting` behind: then the post is on its way and
    // belongs to this wait.
    if !state.compareExchange(
      expected: Self.waiting, desired: Self.running, ordering: .acquiringAndReleasing
    ).exchanged {
      semaphore.wait()
    }
  }

  /// Says that no run is in progress and none will follow. Worker's thread, once.
  func end() {
    ended.post()
  }

  /// Waits until `end` was called; any number of threads may.
  func waitForEnd() {
    ended.wait()
    ended.post()
  }
}
