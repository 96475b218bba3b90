import Clocks
import Synchronization

/// Runs disk jobs in order on a worker of its own, so that callers never wait for a disk. Thread-safe. The
/// worker exists from the first job until `close`, which the owner must call.
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

  /// - Parameter name: the name of the worker's thread, at most 15 bytes.
  init(_ name: String, on clock: any HostClock) {
    self.name = name
    self.clock = clock
  }

  /// Enqueues a job. Jobs added after `close` wait for the next `close`.
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
    // A worker that another thread has created in the meantime serves as well.
    let isUnused = state.withLock { state in
      guard state.worker == nil, !state.isClosed else { return true }
      state.worker = made
      return false
    }
    if isUnused { made.cancel() }
    state.withLock { $0.worker }?.signal()
  }

  /// Runs the remaining jobs on the caller's thread, and ends the worker. Blocks on the disk.
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
