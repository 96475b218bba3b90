import Glibc
package import HostTime
import Synchronization

/// Whether calls into the application's code may begin, for all lanes that share it.
///
/// It knows which threads are inside such a call. So whoever closes it can wait for those that began before, and does
/// not wait for the one that it is inside of itself.
package final class CallGate: Sendable {
  private struct Call {
    let thread: pthread_t
    var depth: Int
  }

  private final class Waiter: Sendable {
    let semaphore = Semaphore()
  }

  private struct State {
    var isOpen = true
    /// The threads inside calls: one, seldom two, so a list is quicker than a table.
    var calls: [Call] = []
    var waiters: [Waiter] = []
  }

  private let state = Mutex(State())

  /// An open gate.
  package init() {}

  /// Whether a call may begin now. Any thread.
  package var isOpen: Bool { state.withLock { $0.isOpen } }

  /// From the return on no call begins. Does not wait for those that did; see `awaitCalls`.
  package func close() { state.withLock { $0.isOpen = false } }

  /// Calls may begin again. Whoever holds some back has to see to them.
  package func open() { state.withLock { $0.isOpen = true } }

  /// Before a call; false if it must not begin. `leave` must follow on the same thread if it may.
  package func enter() -> Bool {
    let thread = pthread_self()
    return state.withLock { state in
      guard state.isOpen else { return false }
      if let index = state.calls.firstIndex(where: { $0.thread == thread }) {
        state.calls[index].depth += 1
      } else {
        state.calls.append(Call(thread: thread, depth: 1))
      }
      return true
    }
  }

  /// After a call.
  package func leave() {
    let thread = pthread_self()
    let waiters = state.withLock { state -> [Waiter] in
      guard let index = state.calls.firstIndex(where: { $0.thread == thread }) else { return [] }
      state.calls[index].depth -= 1
      guard state.calls[index].depth == 0 else { return [] }
      state.calls.remove(at: index)
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.semaphore.post() }
  }

  /// Waits until no other thread is inside a call, at most until `deadline` of the system's clock. Returns whether
  /// that is so. The gate must be closed.
  @discardableResult
  package func awaitCalls(until deadline: HostTime) -> Bool {
    let thread = pthread_self()
    while true {
      let waiter = state.withLock { state -> Waiter? in
        guard state.calls.contains(where: { $0.thread != thread }) else { return nil }
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
