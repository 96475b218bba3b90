package import ControlProtocol
package import Transfer

/// The songs in order, each with its id, and a record of the version in which each last changed.
///
/// The type is a value that its owner protects with a lock. A copy is a snapshot that shares unedited pages and chunks
/// with the original. The first insertion or removal after a copy duplicates the index of all ids. Otherwise the time
/// of an edit, except a move, is proportional to the number of edited songs. Insertions and removals also renumber the
/// chunks that follow, of up to 256 songs each, without visiting their songs.
package struct SongQueue: Sendable {
  /// The maximum number of songs, so that no client can exhaust memory: ten times the largest queue in
  /// Continuo's benchmarks.
  package static let maximumCount = 1_000_000

  /// The maximum size in bytes of metadata that clients set or media provide, so that the state file stays
  /// readable.
  static let maximumTagBytes = 64 << 10

  typealias Slot = SlotSequence.Slot

  private(set) var order = SlotSequence()
  /// The properties of the songs, by slot.
  private var entries = EntryPages()
  /// The ranges of the few songs of which only a part is played.
  private var ranges: [Slot: SongRange] = [:]
  /// The priorities of the few songs with one above 0.
  private var priorities: [Slot: UInt8] = [:]
  /// The credentials of the few songs that have any. Never saved.
  private var credentials: [Slot: Credentials] = [:]
  private var slots: [SongID: Slot] = [:]
  private var freeSlots: [Slot] = []
  /// The id of the next song, or 2³² if all ids are used.
  private(set) var nextID: UInt64 = 1
  /// A counter of the edits that starts at 1. Unlike `version`, which clients see, the counter never wraps.
  package private(set) var edition: UInt64
  /// The number of edits that changed only the metadata of files.
  private var taggings: UInt64 = 0
  /// A number that grows with each edit that may change the record (`encoded()`), which lacks the metadata of
  /// files.
  package var recordEdition: UInt64 { edition - taggings }

  package init() { self.init(edition: 1) }

  init(edition: UInt64) { self.edition = edition }

  // MARK: Queries

  package var count: Int { slots.count }

  package var isEmpty: Bool { slots.isEmpty }

  /// The version that clients see: counts edits from 1 to 2³¹ − 1, then from 1 again, since clients store it
  /// in a signed 32-bit number.
  package var version: UInt32 { UInt32((edition - 1) % Self.versions) + 1 }

  private static let versions: UInt64 = (1 << 31) - 1

  package subscript(position position: Int) -> QueuedSong? {
    guard position >= 0, position < count else { return nil }
    return queued(order[position])
  }

  package subscript(id: SongID) -> Song? {
    guard let slot = slots[id] else { return nil }
    return song(slot)
  }

  package func position(of id: SongID) -> Int? {
    guard let slot = slots[id] else { return nil }
    return order.rank(of: slot)
  }

  /// Calls `body` with each song of `range`, clamped to the queue, and its position, in order.
  package func forEach(in range: Range<Int>, _ body: (Int, QueuedSong) -> Void) {
    let range = range.clamped(to: 0..<count)
    var position = range.lowerBound
    order.forEach(in: range) { slot in
      body(position, queued(slot))
      position += 1
    }
  }

  /// Returns the songs of `range` (nil: the whole queue) whose position or content has changed since
  /// `version`, in order. At most `limit` songs are returned; if there are more, `next` is the position to
  /// continue from.
  ///
  /// Takes time for each returned song, and for each run of songs that last changed together. For version 0,
  /// all songs are returned. The same applies to a version that the queue has not reached, for example one from
  /// an earlier run of the server. Only a smaller `count` shows that songs were removed from the end.
  package func changes(
    since version: UInt32, in range: Range<Int>? = nil, limit: Int = .max
  ) -> (songs: [(position: Int, song: QueuedSong)], next: Int?) {
    let current = self.version
    let all = version == 0 || version > current
    let baseline = all ? 0 : edition - UInt64(current - version)
    let range = range?.clamped(to: 0..<count) ?? 0..<count
    var songs: [(position: Int, song: QueuedSong)] = []
    var next: Int?
    order.forEach(newerThan: baseline, in: range) { position, slot in
      guard songs.count < limit else {
        next = position
        return false
      }
      songs.append((position, queued(slot)))
      return true
    }
    return (songs, next)
  }

  func slot(of id: SongID) -> Slot? { slots[id] }

  func id(of slot: Slot) -> SongID { entries[slot].id }

  func queued(_ slot: Slot) -> QueuedSong { QueuedSong(id: entries[slot].id, song: song(slot)) }

  private func song(_ slot: Slot) -> Song {
    let entry = entries[slot]
    return Song(
      entry.locator, range: ranges.isEmpty ? nil : ranges[slot], metadata: entry.metadata,
      priority: priority(of: slot), reach: entry.reach,
      credentials: credentials.isEmpty ? nil : credentials[slot])
  }

  /// Returns the credentials that this process's own user gave with a song at `locator`; nil if there are
  /// none.
  package func ownCredentials(for locator: SongLocator) -> Credentials? {
    credentials.first { entries[$0.key].reach == .all && entries[$0.key].locator == locator }?.value
  }

  func priority(of slot: Slot) -> UInt8 { priorities.isEmpty ? 0 : priorities[slot] ?? 0 }

  /// Returns `range` without the positions after the end of the queue.
  ///
  /// - Throws: `badSongIndex` if the range begins before the queue or after its end.
  func clamped(_ range: Range<Int>) throws(JukeboxError) -> Range<Int> {
    guard range.lowerBound >= 0, range.lowerBound <= count else { throw .badSongIndex }
    return range.clamped(to: 0..<count)
  }

  var hasPriorities: Bool { !priorities.isEmpty }

  // MARK: Editing

  /// Inserts `songs` before the song at `position` (nil: at the end) as one edit and returns their ids.
  ///
  /// - Throws: `badSongIndex` if `position` is not in 0 ... count, `queueFull`, `pathTooLong`.
  @discardableResult
  package mutating func insert(_ songs: [Song], at position: Int? = nil) throws(JukeboxError) -> [SongID] {
    let position = position ?? count
    guard position >= 0, position <= count else { throw .badSongIndex }
    guard songs.count <= Self.maximumCount - count,
      nextID + UInt64(songs.count) <= UInt64(UInt32.max) + 1
    else { throw .queueFull }
    guard !songs.contains(where: \.locator.isTooLong) else { throw .pathTooLong }
    guard !songs.isEmpty else { return [] }
    let first = nextID
    place(songs.enumerated().map { (SongID(rawValue: UInt32(first + UInt64($0))), $1) }, at: position)
    nextID += UInt64(songs.count)
    return (first..<nextID).map { SongID(rawValue: UInt32($0)) }
  }

  /// Removes the songs of `range`, which must be in the queue, and returns their ids.
  @discardableResult
  mutating func take(_ range: Range<Int>) -> [SongID] {
    guard !range.isEmpty else { return [] }
    edition += 1
    let removed = order.remove(range, stamp: edition)
    return removed.map { slot in
      let id = entries[slot].id
      slots[id] = nil
      entries[slot] = EntryPages.Entry()
      if !ranges.isEmpty { ranges[slot] = nil }
      if !priorities.isEmpty { priorities[slot] = nil }
      if !credentials.isEmpty { credentials[slot] = nil }
      freeSlots.append(slot)
      return id
    }
  }

  /// Removes all songs. As in MPD, the version changes even if the queue was empty.
  package mutating func removeAll() {
    edition += 1
    order = SlotSequence()
    entries = EntryPages()
    ranges = [:]
    priorities = [:]
    credentials = [:]
    slots = [:]
    freeSlots = []
  }

  /// Moves the songs of `range` so that the first of them is at `target` afterwards. Takes time for each chunk
  /// of up to 256 songs that moves, not for each song.
  ///
  /// - Throws: `badSongIndex` if `range` is empty or not in the queue; `numberTooLarge` if `target` leaves no
  ///   room for the songs.
  package mutating func move(_ range: Range<Int>, to target: Int) throws(JukeboxError) {
    guard range.lowerBound >= 0, range.upperBound <= count, !range.isEmpty else { throw .badSongIndex }
    guard target >= 0, target <= count - range.count else { throw .numberTooLarge(target) }
    guard target != range.lowerBound else { return }
    edition += 1
    order.move(range, to: target, stamp: edition)
  }

  /// Exchanges two songs. As in MPD, the version changes even if both positions are the same.
  ///
  /// - Throws: `badSongIndex` if a position is not in the queue.
  package mutating func swap(_ first: Int, _ second: Int) throws(JukeboxError) {
    guard first >= 0, first < count, second >= 0, second < count else { throw .badSongIndex }
    edition += 1
    let (low, high) = (min(first, second), max(first, second))
    if low < high {
      order.swap(low, high, stamp: edition)
    } else {
      order.stamp(low..<low + 1, edition)
    }
  }

  /// Puts the songs of `range` into random order. Has no effect on fewer than two songs.
  ///
  /// - Throws: `badSongIndex` if the range begins below 0 or after the end of the queue. The range may extend
  ///   past the end.
  package mutating func shuffle(
    _ range: Range<Int>, using generator: inout some RandomNumberGenerator
  ) throws(JukeboxError) {
    let range = try clamped(range)
    guard range.count > 1 else { return }
    edition += 1
    var slots = order.slots(in: range)
    slots.shuffle(using: &generator)
    order.replace(range, with: slots, stamp: edition)
  }

  package mutating func setRange(_ range: SongRange?, of id: SongID) throws(JukeboxError) {
    guard let slot = slots[id] else { throw .noSuchSong }
    guard ranges[slot] != range else { return }
    ranges[slot] = range
    touch([slot])
  }

  /// Sets the priority of songs as one edit. Songs that already have it are unchanged.
  mutating func setPriority(_ priority: UInt8, of slots: [Slot]) {
    let changed = slots.filter { self.priority(of: $0) != priority }
    for slot in changed { priorities[slot] = priority == 0 ? nil : priority }
    touch(changed)
  }

  /// Sets the metadata of files as one edit. Songs that have left the queue are ignored.
  mutating func setMetadata(_ metadata: [(id: SongID, metadata: SongMetadata)]) {
    var touched: [Slot] = []
    for (id, metadata) in metadata {
      guard let slot = slots[id], entries[slot].metadata != metadata else { continue }
      entries[slot].metadata = metadata
      touched.append(slot)
    }
    if !touched.isEmpty { taggings += 1 }
    touch(touched)
  }

  /// Records metadata that a song from the network has provided. A known length and format replace the old
  /// ones. Tags replace the old tags of their types; an empty value only removes these. Has no effect if
  /// nothing changes, for a file, or if the result would exceed `maximumTagBytes`.
  package mutating func learn(_ id: SongID, _ news: SongMetadata) {
    guard let slot = slots[id], entries[slot].locator.isRemote else { return }
    let old = entries[slot].metadata ?? SongMetadata()
    let new = news.tags, types = Set(new.map(\.type))
    let tags = old.tags.filter { !types.contains($0.type) } + new.filter { !$0.value.bytes.isEmpty }
    let metadata = SongMetadata(
      duration: news.duration ?? old.duration, modified: old.modified,
      sampleRate: news.sampleRate ?? old.sampleRate, channels: news.channels ?? old.channels,
      tags: types.isEmpty ? old.tags : tags)
    guard metadata != old, metadata.encoded.count <= Self.maximumTagBytes else { return }
    entries[slot].metadata = metadata
    touch([slot])
  }

  /// Adds a tag to a song. Throws `noSuchSong`, `songIsLocal`, or `queueFull` if the song's metadata would grow beyond
  /// `maximumTagBytes`.
  package mutating func addTag(_ tag: SongTag, to id: SongID) throws(JukeboxError) {
    try editTags(of: id) { $0.append(tag) }
  }

  package mutating func removeTags(_ type: TagType?, of id: SongID) throws(JukeboxError) {
    try editTags(of: id) { tags in tags.removeAll { type == nil || $0.type == type } }
  }

  /// Edits a song's tags. As in MPD, the version changes even if the tags stay the same.
  private mutating func editTags(of id: SongID, _ body: (inout [SongTag]) -> Void) throws(JukeboxError) {
    guard let slot = slots[id] else { throw .noSuchSong }
    guard entries[slot].locator.isRemote else { throw .songIsLocal }
    let old = entries[slot].metadata ?? SongMetadata()
    var tags = old.tags
    body(&tags)
    let new = old.replacingTags(by: tags)
    guard new.encoded.count <= max(Self.maximumTagBytes, old.encoded.count) else { throw .queueFull }
    entries[slot].metadata = new
    touch([slot])
  }

  /// Marks the content of `slots` as changed, as one edit.
  private mutating func touch(_ slots: [Slot]) {
    guard !slots.isEmpty else { return }
    edition += 1
    for slot in slots {
      let rank = order.rank(of: slot)
      order.stamp(rank..<rank + 1, edition)
    }
  }

  /// Inserts songs at `position`. Their ids must be new to the queue and different from each other.
  private mutating func place(_ songs: [(SongID, Song)], at position: Int) {
    edition += 1
    let new = songs.map { id, song in
      let slot: Slot
      let entry = EntryPages.Entry(locator: song.locator, metadata: song.metadata, id: id, reach: song.reach)
      if let free = freeSlots.popLast() {
        slot = free
        entries[slot] = entry
      } else {
        slot = entries.append(entry)
      }
      if let range = song.range { ranges[slot] = range }
      if song.priority > 0 { priorities[slot] = song.priority }
      if let given = song.credentials { credentials[slot] = given }
      slots[id] = slot
      return slot
    }
    order.insert(new, at: position, stamp: edition)
  }

  /// Restores a saved queue; nil if an id is 0, a duplicate or not below `nextID`, if `nextID` is out of
  /// range, or if there are too many songs.
  init?(restoring songs: [(id: SongID, song: Song)], nextID: UInt64) {
    self.init()
    guard nextID >= 1, nextID <= UInt64(UInt32.max) + 1, songs.count <= Self.maximumCount else { return nil }
    guard songs.allSatisfy({ $0.0.rawValue > 0 && UInt64($0.0.rawValue) < nextID }) else { return nil }
    self.nextID = nextID
    guard !songs.isEmpty else { return }
    slots.reserveCapacity(songs.count)
    place(songs, at: 0)
    guard slots.count == songs.count else { return nil }
  }
}
