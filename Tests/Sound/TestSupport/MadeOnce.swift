import Synchronization

/// Values that take long to make. Each is made once in a process, also where many tests ask for it at the same time.
package final class MadeOnce<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let made = Mutex<[Key: Task<Value, any Error>]>([:])

  /// Nothing is made yet.
  package init() {}

  /// The value of `key`, which `make` makes for the first who asks.
  package func value(
    of key: Key, _ make: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let task = made.withLock { made in
      if let task = made[key] { return task }
      let task = Task { try await make() }
      made[key] = task
      return task
    }
    return try await task.value
  }
}
