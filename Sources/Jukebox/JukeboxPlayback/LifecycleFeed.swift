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

  /// Appends a record. If the caller is on the main dispatch queue, delivers all pending records immediately. Any thread.
  package func append(_ record: LifecycleRecord) {
    waiting.withLock { $0.append(record) }
    if MainDispatchQueue.isCurrent { drain() } else { mainQueue.enqueue { self.drain() } }
  }

  private func drain() {
    while let record = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { deliver(record) }
  }
}

extension Device {
  /// The reason for which commands of the player are refused while the application does not run.
  package static let notRunning = "the application is not running"

  /// Admits a command as lock screen controls do: in the background, wakes an application that has the audio
  /// background mode, or keeps it awake. Returns the reason for a refusal; nil if the command is admitted. Any
  /// thread.
  package func admitTransport() -> String? {
    switch state {
    case .notRunning: return Self.notRunning
    case .suspended where !modes.contains(.audio):
      return "the application is suspended and has no audio background mode"
    case .suspended, .background: wakeForRemoteControl()
    case .active, .inactive: break
    }
    return nil
  }
}
