import Dispatch
import Synchronization

/// State that a test waits on: whoever changes it wakes those whose condition has become true.
package final class Observed<State: Sendable>: Sendable {
  private struct Waiter {
    let identity: UInt64
    let condition: @Sendable (State) -> Bool
    let continuation: CheckedContinuation<State?, Never>
  }
  private struct Guarded {
    var state: State
    var waiters: [Waiter] = []
    var next: UInt64 = 0
  }
  private let guarded: Mutex<Guarded>

  /// State that begins with this value.
  package init(_ state: State) { guarded = Mutex(Guarded(state: state)) }

  /// The present value.
  package var value: State { guarded.withLock { $0.state } }

  /// Looks at the value without a copy, under the lock. Any thread.
  package func read<Result: Sendable>(_ body: (State) -> Result) -> Result {
    guarded.withLock { body($0.state) }
  }

  /// Changes the value. Any thread.
  package func update(_ body: (inout State) -> Void) {
    let (state, woken) = guarded.withLock { guarded -> (State, [Waiter]) in
      body(&guarded.state)
      let state = guarded.state
      let woken = guarded.waiters.filter { $0.condition(state) }
      guarded.waiters.removeAll { waiter in woken.contains { $0.identity == waiter.identity } }
      return (state, woken)
    }
    for waiter in woken { waiter.continuation.resume(returning: state) }
  }

  /// Waits until the condition holds and returns the value for which it did.
  package func wait(
    for what: String, limit: Double = 120, until condition: @escaping @Sendable (State) -> Bool
  ) async throws -> State {
    let identity = guarded.withLock { guarded -> UInt64 in
      guarded.next += 1
      return guarded.next
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + limit) { [weak self] in self?.giveUp(identity) }
    let result = await withCheckedContinuation { continuation in
      let present = guarded.withLock { guarded -> State? in
        if condition(guarded.state) { return guarded.state }
        guarded.waiters.append(Waiter(identity: identity, condition: condition, continuation: continuation))
        return nil
      }
      if let present { continuation.resume(returning: present) }
    }
    guard let result else { throw Overdue(what: what, limit: limit, last: "\(value)") }
    return result
  }

  private func giveUp(_ identity: UInt64) {
    let waiter = guarded.withLock { guarded -> Waiter? in
      guard let index = guarded.waiters.firstIndex(where: { $0.identity == identity }) else { return nil }
      return guarded.waiters.remove(at: index)
    }
    waiter?.continuation.resume(returning: nil)
  }
}

/// Something did not happen in time.
package struct Overdue: Error, CustomStringConvertible {
  let what: String
  let limit: Double
  let last: String
  /// What, and how it stood.
  package var description: String { "\(what) did not happen within \(limit) s; last: \(last.prefix(2000))" }
}
