import Transfer

/// What a queue knows about its songs, by slot, in pages: they grow without copying what is there, and a snapshot and
/// its original share all but the pages that were edited since.
struct EntryPages: Sendable {
  /// One song, without what few of them have.
  struct Entry: Sendable {
    var locator = SongLocator(path: [])
    var metadata: SongMetadata?
    var id = SongID(rawValue: 0)
    /// In what the number leaves of its word.
    var reach = NetworkReach.all
  }

  /// 6 KiB: what the first edit of a page after a snapshot copies.
  private static let pageSize = 256

  private var pages: [[Entry]] = []
  private var count = 1

  /// Appends an entry and returns its slot, from 1 on.
  mutating func append(_ entry: Entry) -> SlotSequence.Slot {
    let slot = count
    let page = slot / Self.pageSize
    if page == pages.count {
      pages.append([])
      pages[page].reserveCapacity(Self.pageSize)
      // Number 0 is nobody's.
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
