import Synchronization

/// Things in the order in which they came, from any thread.
package final class Collected<Value: Sendable>: Sendable {
  private let values = Mutex<[Value]>([])

  /// Nothing came yet.
  package init() {}

  package func add(_ value: Value) { values.withLock { $0.append(value) } }
  package var all: [Value] { values.withLock { $0 } }
}
