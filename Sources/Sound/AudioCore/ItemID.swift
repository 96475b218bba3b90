import Synchronization

/// The engine's number of an item, unique in a process.
package struct ItemID: Hashable, Sendable {
  /// The number, or 0 to represent no item.
  package let rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }

  private static let last = Atomic<UInt64>(0)

  /// Returns an unused identifier. May be called on any thread.
  package static func next() -> ItemID { ItemID(rawValue: last.wrappingAdd(1, ordering: .relaxed).newValue) }
}
