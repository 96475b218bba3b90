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

  /// Returns when it is there.
  func wait() -> Value {
    while true {
      isThere.wait()
      if let value = value.withLock({ $0 }) { return value }
    }
  }
}
