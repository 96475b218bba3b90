import Synchronization

/// Calls into an application, one after the other in the order in which they were posted, on a queue of its choice; none while
/// the application is suspended. Any thread.
final class Mailbox: Sendable {
  typealias Call = @Sendable () -> Void

  private struct State {
    var calls: [Call] = []
    /// The first of `calls` that was not made.
    var next = 0
    var isScheduled = false
    var isStopped = false
    var isClosed = false
  }

  private let state = Mutex(State())
  /// Runs a piece of work later, on the queue.
  private let enqueue: @Sendable (@escaping Call) -> Void

  init(enqueue: @escaping @Sendable (@escaping Call) -> Void) { self.enqueue = enqueue }

  /// Makes a call behind those before.
  func post(_ call: @escaping Call) {
    state.withLock { state in
      guard !state.isClosed else { return }
      state.calls.append(call)
    }
    schedule()
  }

  /// No call begins from here on; or they go on.
  func setStopped(_ isStopped: Bool) {
    state.withLock { $0.isStopped = isStopped }
    schedule()
  }

  /// Makes no call any more. Those that were posted are kept: a task that awaits one waits for ever, as its application has
  /// ended.
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

  /// Makes one call: others of the queue may come in between.
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
      // What it holds goes with it.
      state.calls[state.next] = {}
      return call
    }
    guard let call else { return }
    call()
    state.withLock { $0.isScheduled = false }
    schedule()
  }
}
