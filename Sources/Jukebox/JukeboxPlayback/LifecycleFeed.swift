package import AppLifecycle
package import Clocks
import Synchronization

/// Delivers the device's life cycle records, which come from several threads, on the main queue in order.
package final class LifecycleFeed: Sendable {
  private let waiting = Mutex<[LifecycleRecord]>([])
  private let mainQueue: any DeliveryQueue
  private let deliver: @Sendable (LifecycleRecord) -> Void

  package init(on mainQueue: any DeliveryQueue, deliver: @escaping @Sendable (LifecycleRecord) -> Void) {
    self.mainQueue = mainQueue
    self.deliver = deliver
  }

  /// Appends a record. Delivers it immediately if the caller is on the main dispatch queue.
  package func append(_ record: LifecycleRecord) {
    waiting.withLock { $0.append(record) }
    if MainDispatchQueue.isCurrent { drain() } else { mainQueue.enqueue { self.drain() } }
  }

  private func drain() {
    while let record = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { deliver(record) }
  }
}

/// A reason why a command cannot reach the player: the player's application cannot respond.
package enum TransportRefusal: Error, CustomStringConvertible {
  case notRunning
  case suspended

  package var description: String {
    switch self {
    case .notRunning: "the application is not running"
    case .suspended: "the application is suspended and has no audio background mode"
    }
  }
}

extension Device {
  /// Admits a command as lock screen controls do: wakes a suspended application that has the audio background
  /// mode. Any thread.
  package func admitTransport() throws(TransportRefusal) {
    switch state {
    case .notRunning: throw .notRunning
    case .suspended:
      guard modes.contains(.audio) else { throw .suspended }
      wakeForRemoteControl()
    case .active, .inactive, .background: break
    }
  }
}
