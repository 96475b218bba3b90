/// Stored responses in memory, at most `capacity` bytes. The least recently used one is removed first.
struct MemoryCache: Sendable {
  private var entries: [String: (entry: CacheEntry, size: Int, use: UInt64)] = [:]
  private var uses: UInt64 = 0
  private(set) var usage = 0
  /// The number of calls of the `remove` methods.
  private(set) var removals: UInt64 = 0
  var capacity: Int {
    didSet { shrink(to: capacity) }
  }

  init(capacity: Int) { self.capacity = capacity }

  mutating func find(_ key: String) -> CacheEntry? {
    uses += 1
    entries[key]?.use = uses
    return entries[key]?.entry
  }

  mutating func store(_ entry: CacheEntry) {
    drop(entry.key)
    let size = entry.size
    guard size <= capacity / URLCache.share else { return }
    shrink(to: capacity - size)
    uses += 1
    entries[entry.key] = (entry, size, uses)
    usage += size
  }

  mutating func remove(_ key: String) {
    removals += 1
    drop(key)
  }

  /// Removes the responses for which `isUnwanted` returns true.
  mutating func remove(where isUnwanted: (CacheEntry) -> Bool) {
    removals += 1
    for key in entries.filter({ isUnwanted($0.value.entry) }).keys { drop(key) }
  }

  private mutating func drop(_ key: String) { usage -= entries.removeValue(forKey: key)?.size ?? 0 }

  private mutating func shrink(to size: Int) {
    while usage > size, let oldest = entries.min(by: { $0.value.use < $1.value.use }) { drop(oldest.key) }
  }
}
