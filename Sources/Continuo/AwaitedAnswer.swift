import HostTime
import Synchronization

/// An answer that is given on another thread, once, and that one thread blocks for.
final class AwaitedAnswer<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  private let isThere = Semaphore()

  func give(_ value: Value) {
    self.value.withLock { $0 = value }
    isThere.post()
  }

  /// The answer, once it is there; nil if `isOver`, which is asked ten times a second, says so before.
  func wait(unless isOver: () -> Bool) -> Value? {
    while true {
      let next = SystemClock.shared.now.advanced(bySeconds: 0.1)
      if isThere.wait(until: next), let value = value.withLock({ $0 }) { return value }
      if isOver() { return nil }
    }
  }
}
