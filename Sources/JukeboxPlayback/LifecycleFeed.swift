package import AppLifecycle
import Dispatch
import HostTime
import Synchronization

/// Carries what the device records to the main queue, in order. The device records on whatever thread carries things
/// out: the main one for a press, its own worker when a time runs out.
package final class LifecycleFeed: Sendable {
  private let waiting = Mutex<[LifecycleRecord]>([])
  private let deliver: @Sendable (LifecycleRecord) -> Void

  /// `deliver` is called on the main queue.
  package init(deliver: @escaping @Sendable (LifecycleRecord) -> Void) { self.deliver = deliver }

  /// Takes a record. Delivers it at once if the caller is on the main queue.
  package func append(_ record: LifecycleRecord) {
    waiting.withLock { $0.append(record) }
    if MainDispatchQueue.isCurrent { drain() } else { DispatchQueue.main.async { self.drain() } }
  }

  private func drain() {
    while let record = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { deliver(record) }
  }
}
