import Synchronization

/// The engine's number of an item, never given twice in a process.
package struct ItemID: Hashable, Sendable {
  /// The number; 0 for no item.
  package let rawValue: UInt64

  /// The item of that number.
  package init(rawValue: UInt64) { self.rawValue = rawValue }

  private static let last = Atomic<UInt64>(0)

  /// A new one. Any thread.
  package static func next() -> ItemID {
    ItemID(rawValue: last.wrappingAdd(1, ordering: .relaxed).newValue)
  }
}
