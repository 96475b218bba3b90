package import ControlProtocol
internal import Synchronization

package enum DatabaseError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The system's libsqlite3 cannot be loaded, or lacks a function.
  case unavailable(String)
  /// The file is damaged, or not a database.
  case damaged(String)
  /// The disk is full, or the file has reached its size limit.
  case full
  /// A later version of this program, or another program, has created the file.
  case unknownVersion(Int64)
  /// The query ended early, for example because it exceeded its budget or its client no longer waits.
  case refused(Ack)
  case failed(code: Int32, String)

  package var description: String {
    switch self {
    case .unavailable(let reason): reason
    case .damaged(let reason): reason
    case .full: "the disk is full"
    case .unknownVersion(let version): "unsupported schema version \(version)"
    case .refused(let ack): ack.description
    case .failed(let code, let reason): "\(reason) (\(code))"
    }
  }
}

/// The query in progress on a connection: its budget, its interruption, and the reason why it ended early.
final class Question: Sendable {
  private struct State {
    var budget = PatternBudget()
    var interruption: (@Sendable () -> String?)?
    var refusal: Ack?
  }

  private let state = Mutex(State())

  /// Begins the next query. `interruption` is called while the query runs, and ends it by returning a reason.
  func begin(_ interruption: @escaping @Sendable () -> String?) {
    let state = State(budget: PatternBudget(interruption: interruption), interruption: interruption)
    self.state.withLock { $0 = state }
  }

  /// The reason why the query ended early; nil while it may continue.
  var refusal: Ack? { state.withLock { $0.refusal } }

  /// Returns whether `interruption` ends the query, and records its reason.
  func isInterrupted() -> Bool {
    guard let reason = state.withLock({ $0.interruption })?() else { return false }
    state.withLock { $0.refusal = .interrupted(reason) }
    return true
  }

  /// Returns whether a pattern is found in a text; nil if the query ended during the search.
  func matches(_ pattern: TextPattern, _ text: UnsafeBufferPointer<UInt8>) -> Bool? {
    // The search does not need the lock, because one thread at a time uses the connection.
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
