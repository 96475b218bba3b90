internal import ControlProtocol
internal import Synchronization

/// The question in progress on a database connection: its budget, whether its client still waits, and the reason for its end.
final class Question: Sendable {
  private struct State {
    var budget = PatternBudget()
    var interruption: (@Sendable () -> String?)?
    var refusal: Ack?
  }

  private let state = Mutex(State())

  /// Begins the next question. `interruption` is asked while it is answered; where it has a reason, the answer ends.
  func begin(_ interruption: @escaping @Sendable () -> String?) {
    let state = State(budget: PatternBudget(interruption: interruption), interruption: interruption)
    self.state.withLock { $0 = state }
  }

  /// The reason for its end; nil while it may continue.
  var refusal: Ack? { state.withLock { $0.refusal } }

  /// Whether the answer is to end, since nobody waits for it.
  func isInterrupted() -> Bool {
    guard let reason = state.withLock({ $0.interruption })?() else { return false }
    state.withLock { $0.refusal = .interrupted(reason) }
    return true
  }

  /// Whether an expression is found in a text; nil if the question has ended over it.
  func matches(_ pattern: TextPattern, _ text: UnsafeBufferPointer<UInt8>) -> Bool? {
    // Compared outside of the lock: one thread at a time has the connection.
    var budget = state.withLock { $0.budget }
    do throws(Ack) {
      let isFound = try pattern.matches(text, &budget)
      state.withLock { [budget] in $0.budget = budget }
      return isFound
    } catch {
      state.withLock { [budget] in ($0.budget, $0.refusal) = (budget, error) }
      return nil
    }
  }
}
