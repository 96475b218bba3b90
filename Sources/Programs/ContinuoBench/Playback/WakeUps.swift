import Foundation
import Synchronization

/// The lateness with which this machine wakes a thread that sleeps until the next 1/100 s. No observer can be
/// more accurate; on a busy machine this lateness is most of an observer's.
final class WakeUps: Sendable {
  private struct State {
    var lateness: [Double] = []
    var stopped = false
  }
  private let state = Mutex(State())

  /// Starts the thread that measures.
  init() {
    Thread.detachNewThread { [self] in
      var next = monotonicSeconds()
      while !state.withLock({ $0.stopped }) {
        next += 0.01
        var until = timespec(tv_sec: Int(next), tv_nsec: Int((next - next.rounded(.down)) * 1e9))
        clock_nanosleep(CLOCK_MONOTONIC, Int32(TIMER_ABSTIME), &until, nil)
        let late = monotonicSeconds() - next
        state.withLock { $0.lateness.append(late) }
      }
    }
  }

  /// Ends the thread. Returns the lateness of every wake-up, in seconds.
  func stop() -> [Double] {
    state.withLock { state in
      state.stopped = true
      return state.lateness
    }
  }
}
