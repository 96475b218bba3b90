import Clocks
import Synchronization

/// Runs disk jobs in order on a worker of its own, so that callers never wait for a disk. Thread-safe. The
/// worker exists from the first job until `close`, which the owner must call.
final class DiskErrands: Sendable {
  typealias Errand = @Sendable () -> Void

  private struct State {
    var errands: [Errand] = []
    var worker: (any Worker)?
    /// Whether a thread creates the worker, which may begin before its creation returns.
    var isMaking = false
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
    let (worker, mustMake) = state.withLock { state in
      state.errands.append(errand)
      let mustMake = state.worker == nil && !state.isMaking && !state.isClosed
      if mustMake { state.isMaking = true }
      return (state.worker, mustMake)
    }
    worker?.signal()
    guard mustMake else { return }
    let made = clock.makeWorker(name) { [weak self] in
      self?.run()
      return .whenSignalled
    }
    let isClosed = state.withLock { state in
      state.isMaking = false
      if !state.isClosed { state.worker = made }
      return state.isClosed
    }
    if isClosed { made.cancel() } else { made.signal() }
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
