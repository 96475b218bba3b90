import Foundation
import Synchronization

/// How late this machine wakes a thread that sleeps to the next 1/100 s: what no observer can be better than, and
/// on a busy machine most of what is seen of one.
final class WakeUps: Sendable {
  private struct State {
    var lateness: [Double] = []
    var stopped = false
  }
  private let state = Mutex(State())

  /// Starts the thread.
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

  /// Ends the thread; seconds of lateness of every wake-up.
  func stop() -> [Double] {
    state.withLock { state in
      state.stopped = true
      return state.lateness
    }
  }
}
