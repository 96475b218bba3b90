import Clocks
import Foundation
import Synchronization

/// How late a thread of this machine wakes: the peer of a measurement in real time. It asks for a moment every 2 ms and
/// keeps by how much it missed it.
package final class Lateness: Sendable {
  private let state = Mutex<(misses: [Double], hasEnded: Bool)>(([], false))

  /// Starts the thread, which goes on until `end()`.
  package init() {
    let interval = 0.002
    Thread.detachNewThread { [self] in
      let clock = SystemClock.shared
      var next = clock.now.seconds
      while true {
        next += interval
        Thread.sleep(forTimeInterval: max(next - clock.now.seconds, 0))
        let missed = clock.now.seconds - next
        if add(missed) { return }
        next += (missed / interval).rounded(.down) * interval
      }
    }
  }

  /// Keeps one. Returns whether it was the last.
  private func add(_ missed: Double) -> Bool {
    state.withLock {
      $0.misses.append(missed)
      return $0.hasEnded
    }
  }

  /// Ends the thread.
  package func end() { state.withLock { $0.hasEnded = true } }

  /// What most of the values of a measurement beside it may be late, in seconds: the way from a server over a player to a
  /// test has up to twenty such wake-ups. One that was later than 5 ms may have moved all values after it.
  package var allowance: Double {
    let sorted = state.withLock { $0.misses }.sorted()
    guard let last = sorted.last else { return 0 }
    return sorted[sorted.count * 99 / 100] * 20 + (last > 0.005 ? worst : 0)
  }

  /// What a single moment may be late, in seconds: a few of those wake-ups may have been the latest of all.
  package var worst: Double { state.withLock { ($0.misses.max() ?? 0) * 5 } }

  /// How often a thread was later than this, in seconds.
  package func count(above limit: Double) -> Int { state.withLock { $0.misses.count { $0 > limit } } }
}
