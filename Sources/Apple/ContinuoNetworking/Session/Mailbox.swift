import Clocks
import Synchronization

/// Calls the application on a given queue, one call at a time and in the order of `post`. Makes no calls
/// while it is stopped, as during a suspension. Thread-safe.
final class Mailbox: Sendable {
  typealias Call = @Sendable () -> Void

  private struct State {
    var calls = StepQueue<Call>()
    var isClosed = false
  }

  private let state = Mutex(State())
  private let enqueue: @Sendable (@escaping Call) -> Void
  /// The gate that records the thread of the call in progress. Always open.
  private let gate = CallGate()

  init(enqueue: @escaping @Sendable (@escaping Call) -> Void) { self.enqueue = enqueue }

  func post(_ call: @escaping Call) {
    state.withLock { state in
      guard !state.isClosed else { return }
      state.calls.append(call)
    }
    schedule()
  }

  /// Stops or resumes the calls. After stopping, no new call begins, except one that another thread has just
  /// taken; see `awaitCall`.
  func setStopped(_ isStopped: Bool) {
    state.withLock { $0.calls.isHeld = isStopped || $0.isClosed }
    schedule()
  }

  /// Waits until the call in progress on another thread has returned, at most until `deadline`.
  func awaitCall(until deadline: HostTime) { gate.awaitCalls(until: deadline) }

  /// Ends the calls permanently. Pending calls are retained but never made, so that a Swift task that awaits one waits
  /// forever.
  func close() {
    state.withLock { state in
      state.isClosed = true
      state.calls.isHeld = true
    }
  }

  private func schedule() { if state.withLock({ $0.calls.begin() }) { enqueue { self.deliver() } } }

  /// Makes a single call, so that other work of the queue can run in between.
  private func deliver() {
    let call = state.withLock { state in
      let call = state.calls.next()
      // Under the lock, so that `awaitCall` after `setStopped` waits for this call.
      if call != nil { _ = gate.enter() }
      return call
    }
    guard let call else { return }
    call()
    state.withLock { $0.calls.end() }
    gate.leave()
    schedule()
  }
}
