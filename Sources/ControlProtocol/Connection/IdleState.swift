/// What a client has not been told yet, and what it waits for.
///
/// Events add up from the moment of connecting, also while the client does not wait, so none is lost between two
/// `idle`. As in MPD 0.23 an answer forgets all of them, also those that were not asked for.
package struct IdleState: Hashable, Sendable {
  /// What has changed since the last answer.
  package private(set) var pending: Subsystems = []
  /// What the client waits for; `nil` if it does not wait.
  package private(set) var awaited: Subsystems?

  /// A client that has just connected.
  package init() {}

  /// Something has changed. Returns the answer to a client that waits for it.
  package mutating func raise(_ subsystems: Subsystems) -> Subsystems? {
    pending.formUnion(subsystems)
    return answerIfDue()
  }

  /// The client waits for these from now on. Returns the answer if one of them has changed already.
  package mutating func wait(for subsystems: Subsystems) -> Subsystems? {
    awaited = subsystems
    return answerIfDue()
  }

  /// The client waits no more. Returns the answer, which may be empty; `nil` if it did not wait.
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
