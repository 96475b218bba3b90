package import Clocks
import Synchronization
import SystemSupport

/// Calls actions at given times, all on one thread, which exists from the first alarm on.
package final class Alarms: Sendable {
  package typealias ID = UInt64

  private struct State {
    var alarms: [ID: (due: HostTime, action: @Sendable () -> Void)] = [:]
    var lastID: ID = 0
  }

  /// The back-off of uploads and of failed record writes: 1…60 s.
  static let backoff = Backoff(first: 1, longest: 60)

  package let clock: any HostClock
  private let state = Mutex(State())
  private let worker = LazyWorker()

  package init(clock: any HostClock) { self.clock = clock }

  deinit { worker.cancel() }

  /// Calls `action` once at `moment`, without a lock. The action must not block. Returns an identifier for
  /// `cancel`.
  @discardableResult
  package func set(at moment: HostTime, _ action: @escaping @Sendable () -> Void) -> ID {
    let id = state.withLock { state in
      state.lastID += 1
      state.alarms[state.lastID] = (moment, action)
      return state.lastID
    }
    worker.signal { clock.makeWorker("url-session") { [weak self] in self?.ring() ?? .whenSignalled } }
    return id
  }

  /// Cancels an alarm that is not yet due. The action of a due alarm may still be called.
  package func cancel(_ id: ID?) {
    guard let id else { return }
    let old = state.withLock { $0.alarms.removeValue(forKey: id) }
    withExtendedLifetime(old) {}
  }

  private func ring() -> WorkerNext {
    let now = clock.now
    let due = state.withLock { state in
      let due = state.alarms.filter { $0.value.due <= now }.sorted { $0.key < $1.key }
      for alarm in due { state.alarms[alarm.key] = nil }
      return due.map(\.value.action)
    }
    for action in due { action() }
    return state.withLock { $0.alarms.values.map(\.due).min() }.map { .at($0) } ?? .whenSignalled
  }
}
