import HostTime
import Synchronization

/// Jobs for the disk, done in order by a worker of their own: the caller never waits for a disk.
///
/// Any thread. The worker exists from the first job on, and ends with `close`, which the owner calls.
final class DiskErrands: Sendable {
  typealias Errand = @Sendable () -> Void

  private struct State {
    var errands: [Errand] = []
    var worker: (any Worker)?
    var isClosed = false
  }

  private let name: String
  private let clock: any HostClock
  private let state = Mutex(State())

  /// - Parameter name: the worker's thread's, at most 15 bytes.
  init(_ name: String, on clock: any HostClock) {
    self.name = name
    self.clock = clock
  }

  /// Does the job when its turn comes. Jobs added after `close` wait for the next `close`.
  func add(_ errand: @escaping Errand) {
    let (worker, isClosed) = state.withLock { state in
      state.errands.append(errand)
      return (state.worker, state.isClosed)
    }
    if let worker { return worker.signal() }
    guard !isClosed else { return }
    let made = clock.makeWorker(name) { [weak self] in
      self?.run()
      return .whenSignalled
    }
    // One that another thread made meanwhile is as good.
    let isUnused = state.withLock { state in
      guard state.worker == nil, !state.isClosed else { return true }
      state.worker = made
      return false
    }
    if isUnused { made.cancel() }
    state.withLock { $0.worker }?.signal()
  }

  /// Does the remaining jobs on the caller's thread, and ends the worker. Blocks on the disk.
  func close() {
    let worker = state.withLock { state in
      state.isClosed = true
      return state.worker.take()
    }
    worker?.cancel()
    run()
  }

  private func run() {
    while true {
      let errands = state.withLock { state in
        defer { state.errands = [] }
        return state.errands
      }
      guard !errands.isEmpty else { return }
      for errand in errands { errand() }
    }
  }
}
