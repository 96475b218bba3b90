import AppLifecycle
import AudioCore
import Dispatch
import Synchronization

/// Carries changes of the application's state to the main queue, in order. The device reports them on whatever thread
/// carries them out: the main one for a press, its own worker when a grace runs out.
final class StateChanges: Sendable {
  private let waiting = Mutex<[ApplicationState]>([])
  private let deliver: @Sendable (ApplicationState) -> Void

  /// `deliver` is called on the main queue.
  init(deliver: @escaping @Sendable (ApplicationState) -> Void) { self.deliver = deliver }

  /// Takes a change. At once if the caller is on the main queue.
  func append(_ state: ApplicationState) {
    waiting.withLock { $0.append(state) }
    if MainDispatchQueue.isCurrent { drain() } else { DispatchQueue.main.async { self.drain() } }
  }

  private func drain() {
    while let state = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { deliver(state) }
  }
}
