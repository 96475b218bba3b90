package import Dispatch

/// A client's dispatch queue as a delivery queue.
package final class ObserverQueue: DeliveryQueue {
  /// The client's queue. Retained, because its identity is used as a key.
  private let client: DispatchQueue
  /// A serial queue that targets the client's, so that calls stay in order even on a concurrent queue.
  private let serial: DispatchQueue

  package init(_ client: DispatchQueue) {
    self.client = client
    serial = DispatchQueue(label: "continuo.observer", target: client)
  }

  package func enqueue(_ work: @escaping @Sendable () -> Void) { serial.async(execute: work) }
}
