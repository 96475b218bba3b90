import Synchronization

/// Calls an application on a queue of its choice, in the order of the posts and one call at a time. While the
/// application is suspended, no call is made. Thread-safe.
final class Mailbox: Sendable {
  typealias Call = @Sendable () -> Void

  private struct State {
    var calls: [Call] = []
    /// The index in `calls` of the next call.
    var next = 0
    var isScheduled = false
    var isStopped = false
    var isClosed = false
  }

  private let state = Mutex(State())
  /// Runs a closure later, on the queue.
  private let enqueue: @Sendable (@escaping Call) -> Void

  init(enqueue: @escaping @Sendable (@escaping Call) -> Void) { self.enqueue = enqueue }

  /// Enqueues a call after the previous ones.
  func post(_ call: @escaping Call) {
    state.withLock { state in
      guard !state.isClosed else { return }
      state.calls.append(call)
    }
    schedule()
  }

  /// Stops or resumes the calls. After stopping, no new call begins.
  func setStopped(_ isStopped: Bool) {
    state.withLock { $0.isStopped = isStopped }
    schedule()
  }

  /// Ends the calls permanently. Posted calls are retained: a task that awaits one waits forever, since its
  /// application has ended.
  func close() { state.withLock { $0.isClosed = true } }

  private func schedule() {
    let isDue = state.withLock { state in
      guard !state.isScheduled, !state.isStopped, !state.isClosed, state.next < state.calls.count else {
        return false
      }
      state.isScheduled = true
      return true
    }
    if isDue { enqueue { self.deliver() } }
  }

  /// Makes a single call, so that other work of the queue can run in between.
  private func deliver() {
    let call: Call? = state.withLock { state in
      guard !state.isStopped, !state.isClosed, state.next < state.calls.count else {
        state.isScheduled = false
        return nil
      }
      defer {
        state.next += 1
        if state.next == state.calls.count {
          state.calls.removeAll(keepingCapacity: true)
          state.next = 0
        } else if state.next >= 1_000 {
          state.calls.removeFirst(state.next)
          state.next = 0
        }
      }
      let call = state.calls[state.next]
      // Releases the call's captures right after the call.
      state.calls[state.next] = {}
      return call
    }
    guard let call else { return }
    call()
    state.withLock { $0.isScheduled = false }
    schedule()
  }
}
