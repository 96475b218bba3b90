import HostTime
import Synchronization

/// An answer given once by another thread, for which one thread can block.
final class AwaitedAnswer<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  private let isThere = Semaphore()

  func give(_ value: Value) {
    self.value.withLock { $0 = value }
    isThere.post()
  }

  /// Returns the answer once it is available; nil if `isOver`, polled ten times a second, returns true first.
  func wait(unless isOver: () -> Bool) -> Value? {
    while true {
      let next = SystemClock.shared.now.advanced(bySeconds: 0.1)
      if isThere.wait(until: next), let value = value.withLock({ $0 }) { return value }
      if isOver() { return nil }
    }
  }
}
