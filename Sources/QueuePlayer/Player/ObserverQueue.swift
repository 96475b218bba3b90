import Dispatch
import HostTime

/// A queue that a time observer named, as the engine sees it.
final class ObserverQueue: DeliveryQueue {
  /// The client's queue; kept so that its identity stays its own while this lives.
  private let client: DispatchQueue
  /// A serial queue on top of the client's, so that calls stay in order also on a concurrent one.
  private let serial: DispatchQueue

  init(_ client: DispatchQueue) {
    self.client = client
    serial = DispatchQueue(label: "continuo.observer", target: client)
  }

  func enqueue(_ work: @escaping @Sendable () -> Void) { serial.async(execute: work) }
}
