import Clocks
package import Dispatch
import PlaybackEngine
import Synchronization

/// A client's own queue for the calls of its delegate, which `PlaybackSuspension.tellLater` makes in order.
package final class DelegateQueue: Sendable {
  private let queue: DispatchQueue
  private let lane = Mutex<DeliveryLane?>(nil)

  /// Returns nil for the main queue.
  package init?(_ queue: DispatchQueue?) {
    guard let queue, !MainDispatchQueue.isMain(queue) else { return nil }
    self.queue = queue
  }

  deinit { lane.withLock { $0 }?.close() }

  /// Returns the lane to the queue, made by `make` for the first call.
  func lane(_ make: (any DeliveryQueue) -> DeliveryLane) -> DeliveryLane {
    if let lane = lane.withLock({ $0 }) { return lane }
    let new = make(ObserverQueue(queue))
    let used = lane.withLock { lane in
      let used = lane ?? new
      lane = used
      return used
    }
    if used !== new { new.close() }
    return used
  }
}
