import Transfer

/// The properties of a queue's songs by slot, in pages. A snapshot and its original share all pages that neither has
/// edited since. Appending an entry copies no other, unless the last page is shared.
struct EntryPages: Sendable {
  /// The properties that most songs have. `SongQueue` stores the rare ones: range, priority and credentials.
  struct Entry: Sendable {
    var locator = SongLocator(path: [])
    var metadata: SongMetadata?
    var id = SongID(rawValue: 0)
    /// Fits into the padding after `id`.
    var reach = NetworkReach.all
  }

  /// The number of entries in a page. A page takes 6 KiB, which its first edit after a snapshot copies.
  private static let pageSize = 256

  private var pages: [[Entry]] = []
  private var count = 1

  /// Appends an entry and returns its slot (1 and above).
  mutating func append(_ entry: Entry) -> SlotSequence.Slot {
    let slot = count
    let page = slot / Self.pageSize
    if page == pages.count {
      pages.append([])
      pages[page].reserveCapacity(Self.pageSize)
      // Slot 0 is never used.
      if page == 0 { pages[page].append(Entry()) }
    }
    pages[page].append(entry)
    count += 1
    return SlotSequence.Slot(slot)
  }

  subscript(slot: SlotSequence.Slot) -> Entry {
    get { pages[Int(slot) / Self.pageSize][Int(slot) % Self.pageSize] }
    _modify { yield &pages[Int(slot) / Self.pageSize][Int(slot) % Self.pageSize] }
  }
}
