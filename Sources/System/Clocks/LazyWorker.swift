import Synchronization

/// A worker that exists from the first signal until `cancel`. Methods may be called on any thread.
package final class LazyWorker: Sendable {
  private struct State {
    var worker: (any Worker)?
    var isCancelled = false
  }

  private let state = Mutex(State())

  package init() {}

  /// Signals the worker. Without one, calls `make`, which returns a new worker, or nil if none is needed yet.
  /// Does nothing after `cancel`. Never blocks.
  package func signal(_ make: () -> (any Worker)?) {
    let (worker, isCancelled) = state.withLock { ($0.worker, $0.isCancelled) }
    if let worker { return worker.signal() }
    guard !isCancelled, let made = make() else { return }
    // Another thread may have created a worker, or called `cancel`, since the lock was released.
    let isUnused = state.withLock { state in
      guard state.worker == nil, !state.isCancelled else { return true }
      state.worker = made
      return false
    }
    if isUnused { made.cancel() }
    state.withLock { $0.worker }?.signal()
  }

  /// Ends the worker permanently. Waits for a run of its body in progress, unless the body itself calls.
  package func cancel() {
    let worker = state.withLock { state in
      state.isCancelled = true
      return state.worker.take()
    }
    worker?.cancel()
  }
}
