import Synchronization

/// A number that any thread may count up.
final class Counter: Sendable {
  private let value = Atomic<Int>(0)

  /// Adds one and returns the new number.
  @discardableResult
  func increment() -> Int { value.wrappingAdd(1, ordering: .relaxed).newValue }
}
