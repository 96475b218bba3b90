import Synchronization

/// A worker that is created by the first signal that needs it. Methods may be called on any thread.
package final class LazyWorker: Sendable {
  private struct State {
    var worker: (any Worker)?
    /// Whether a thread is creating the worker. The worker's body may begin before the creation returns, so a
    /// second worker created meanwhile could run at the same time.
    var isMaking = false
    /// Whether there was a signal during the creation.
    var isSignalled = false
    var isCancelled = false
  }

  private let state = Mutex(State())

  package init() {}

  /// Signals the worker. Without a worker, calls `make`, unless another thread does so. `make` returns a new
  /// worker, or nil if none is needed yet. Does nothing after `cancel`. Never blocks, unless `cancel` is
  /// called while `make` runs. In that case it waits for a run of the new worker's body in progress.
  package func signal(_ make: () -> (any Worker)?) {
    while true {
      let (worker, isMaker) = state.withLock { state in
        let isMaker = state.worker == nil && !state.isMaking && !state.isCancelled
        state.isSignalled = !isMaker
        if isMaker { state.isMaking = true }
        return (state.worker, isMaker)
      }
      worker?.signal()
      guard isMaker else { return }
      let made = make()
      let (isCancelled, isSignalled) = state.withLock { state in
        state.isMaking = false
        if !state.isCancelled { state.worker = made }
        return (state.isCancelled, state.isSignalled)
      }
      if let made { return isCancelled ? made.cancel() : made.signal() }
      // The signal of another thread may require a worker by now.
      guard isSignalled else { return }
    }
  }

  /// Ends the worker permanently. Waits for a run of its body in progress, unless the body itself calls
  /// `cancel`, or the worker is still being created.
  package func cancel() {
    let worker = state.withLock { state in
      state.isCancelled = true
      return state.worker.take()
    }
    worker?.cancel()
  }
}
