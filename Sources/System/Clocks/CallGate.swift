import Glibc
import Synchronization

/// A gate that decides whether calls into the application's code may begin, for one or several threads.
///
/// The gate records the threads inside such calls. `awaitCalls` can therefore wait for calls on other threads
/// without waiting for the caller's own.
package final class CallGate: Sendable {
  private struct State {
    var isOpen = true
    /// The threads inside calls, one element for each call: mostly one, rarely two.
    var calls: [pthread_t] = []
    var waiters: [Waiter] = []
  }

  private let state = Mutex(State())

  package init() {}

  /// Whether a call may begin now. Thread-safe.
  package var isOpen: Bool { state.withLock { $0.isOpen } }

  /// Closes the gate: no call begins after the return. Does not wait for calls in progress; see `awaitCalls`.
  package func close() { state.withLock { $0.isOpen = false } }

  /// Opens the gate. The caller must replay the calls that were blocked.
  package func open() { state.withLock { $0.isOpen = true } }

  /// Enters the gate before a call. Returns false if the call must not begin. Otherwise `leave` must follow
  /// on the same thread.
  package func enter() -> Bool {
    let thread = pthread_self()
    return state.withLock { state in
      if state.isOpen { state.calls.append(thread) }
      return state.isOpen
    }
  }

  /// Leaves the gate after a call, on the thread that entered it.
  package func leave() {
    let thread = pthread_self()
    let waiters = state.withLock { state -> [Waiter]? in
      guard let last = state.calls.popLast() else { return nil }
      // The order of `calls` does not matter.
      if last != thread, let index = state.calls.lastIndex(of: thread) { state.calls[index] = last }
      guard !state.waiters.isEmpty, !state.calls.contains(thread) else { return nil }
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters ?? [] { waiter.semaphore.post() }
  }

  /// Waits until no other thread is inside a call, at most until `deadline`. No call may begin
  /// meanwhile: the gate must be closed, or its user's calls stopped.
  ///
  /// - Returns: whether all calls on other threads have ended.
  @discardableResult
  package func awaitCalls(until deadline: HostTime) -> Bool {
    let thread = pthread_self()
    while true {
      let waiter = state.withLock { state -> Waiter? in
        guard state.calls.contains(where: { $0 != thread }) else { return nil }
        let waiter = Waiter()
        state.waiters.append(waiter)
        return waiter
      }
      guard let waiter else { return true }
      guard waiter.semaphore.wait(until: deadline) else {
        state.withLock { $0.waiters.removeAll { $0 === waiter } }
        return false
      }
    }
  }
}
