/// The changes that a client has not been notified of, and the subsystems that it waits for.
///
/// Changes accumulate from the start of the connection, even while the client does not wait, so an `idle`
/// also reports changes since the last answer. As in MPD 0.23, an answer clears all pending changes,
/// including those that were not requested.
package struct IdleState: Hashable, Sendable {
  package private(set) var pending: Subsystems = []
  /// The subsystems that the client waits for; nil if it does not wait.
  package private(set) var awaited: Subsystems?

  package init() {}

  /// Records changes. Returns the answer if the client waits for one of them.
  package mutating func raise(_ subsystems: Subsystems) -> Subsystems? {
    pending.formUnion(subsystems)
    return answerIfDue()
  }

  /// Starts to wait for these subsystems. Returns the answer if one of them has already changed.
  package mutating func wait(for subsystems: Subsystems) -> Subsystems? {
    awaited = subsystems
    return answerIfDue()
  }

  /// Ends the wait. Returns the answer, which may be empty; nil if the client did not wait.
  package mutating func cancel() -> Subsystems? {
    guard let awaited else { return nil }
    return answer(awaited)
  }

  private mutating func answerIfDue() -> Subsystems? {
    guard let awaited, !pending.isDisjoint(with: awaited) else { return nil }
    return answer(awaited)
  }

  private mutating func answer(_ awaited: Subsystems) -> Subsystems {
    defer {
      pending = []
      self.awaited = nil
    }
    return pending.intersection(awaited)
  }
}
