import Synchronization

/// Numbers for items, never used twice in a process.
public enum ItemIDs {
  private static let last = Atomic<ItemID>(0)

  /// A new one. Any thread.
  public static func next() -> ItemID { last.wrappingAdd(1, ordering: .relaxed).newValue }
}
