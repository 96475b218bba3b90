import HostTime
import Synchronization

/// Calls at moments, all of them from one thread, which exists from the first one on.
final class Alarms: Sendable {
  typealias ID = UInt64

  private struct State {
    var alarms: [ID: (due: HostTime, action: @Sendable () -> Void)] = [:]
    var lastID: ID = 0
    var worker: (any Worker)?
  }

  /// Seconds before the next attempt, by the failures in a row.
  private static let retryDelays = [1.0, 2, 4, 8, 16, 32, 60]

  let clock: any HostClock
  private let state = Mutex(State())

  init(clock: any HostClock) { self.clock = clock }

  deinit { state.withLock { $0.worker }?.cancel() }

  /// Returns the seconds to wait before the next attempt, 1…60, after `failures` in a row, at least one.
  static func retryDelay(after failures: Int) -> Double { retryDelays[min(failures, retryDelays.count) - 1] }

  /// Calls `action` at `moment`, once, without a lock. It must not block.
  @discardableResult
  func set(at moment: HostTime, _ action: @escaping @Sendable () -> Void) -> ID {
    let (id, worker) = state.withLock { state in
      state.lastID += 1
      state.alarms[state.lastID] = (moment, action)
      return (state.lastID, state.worker)
    }
    if let worker {
      worker.signal()
    } else {
      let made = clock.makeWorker("url-session") { [weak self] in self?.ring() ?? .whenSignalled }
      // One that another thread made meanwhile is as good.
      let isUnused = state.withLock { state in
        guard state.worker == nil else { return true }
        state.worker = made
        return false
      }
      if isUnused { made.cancel() }
      state.withLock { $0.worker }?.signal()
    }
    return id
  }

  /// Makes no call any more, unless it has begun.
  func cancel(_ id: ID?) {
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
