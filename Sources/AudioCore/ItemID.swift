import Synchronization

/// The engine's number of an item, never given twice in a process.
public struct ItemID: Hashable, Sendable {
  /// The number; 0 for no item.
  public let rawValue: UInt64

  /// The item of that number.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  private static let last = Atomic<UInt64>(0)

  /// A new one. Any thread.
  public static func next() -> ItemID {
    ItemID(rawValue: last.wrappingAdd(1, ordering: .relaxed).newValue)
  }
}
