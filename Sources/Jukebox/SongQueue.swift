package import ControlProtocol
package import Transfer

/// The songs in order, each with a number of its own, and for every version of the queue what has changed since.
///
/// A value: whoever holds it has a lock. A copy is a snapshot: the two share, in pages, what neither has edited
/// since. No edit looks at the songs that it moves: one that moves the positions of 100,000 takes a microsecond
/// or two, and an edit of k songs k more, except a move, whatever its length.
package struct SongQueue: Sendable {
  /// The most songs a queue takes, so that no client fills the memory: ten times the largest collection Continuo is
  /// measured with.
  package static let maximumCount = 1_000_000

  /// The most bytes of tags that a client can give a song, so that the state file stays one that is read.
  package static let maximumTagBytes = 64 << 10

  typealias Slot = SlotSequence.Slot

  private(set) var order = SlotSequence()
  /// By slot.
  private var entries = EntryPages()
  /// The few songs of which only a part is played.
  private var ranges: [Slot: SongRange] = [:]
  /// Those of songs that have one above 0, which are few.
  private var priorities: [Slot: UInt8] = [:]
  /// The credentials of the few songs that were given some. Never saved.
  private var credentials: [Slot: Credentials] = [:]
  private var slots: [SongID: Slot] = [:]
  private var freeSlots: [Slot] = []
  /// The number of the next song, or 2³² when all are used up.
  private(set) var nextID: UInt64 = 1
  /// Counts edits and never wraps; `version` is what clients see of it.
  private(set) var edition: UInt64

  /// An empty queue, of version 1.
  package init() { self.init(edition: 1) }

  init(edition: UInt64) { self.edition = edition }

  // MARK: Asking

  /// The number of songs.
  package var count: Int { slots.count }

  /// Whether there is none.
  package var isEmpty: Bool { slots.isEmpty }

  /// Counts the edits: from 1 to 2³¹ − 1, then again from 1, since clients keep it in a signed 32-bit number.
  package var version: UInt32 { UInt32((edition - 1) % Self.versions) + 1 }

  private static let versions: UInt64 = (1 << 31) - 1

  /// The song at `position`; `nil` if there is none.
  package subscript(position position: Int) -> QueuedSong? {
    guard position >= 0, position < count else { return nil }
    return queued(order[position])
  }

  /// The song of that number; `nil` if there is none.
  package subscript(id: SongID) -> Song? {
    guard let slot = slots[id] else { return nil }
    return song(slot)
  }

  /// Where the song of that number stands; `nil` if there is none.
  package func position(of id: SongID) -> Int? {
    guard let slot = slots[id] else { return nil }
    return order.rank(of: slot)
  }

  /// Calls `body` with the songs of `range`, cut to the queue, in order, each with its position.
  package func forEach(in range: Range<Int>, _ body: (Int, QueuedSong) -> Void) {
    let range = range.clamped(to: 0..<count)
    var position = range.lowerBound
    order.forEach(in: range) { slot in
      body(position, queued(slot))
      position += 1
    }
  }

  /// The songs of `range` (`nil`: the whole queue) that have a new position or new content since `version`, in order:
  /// at most `limit` of them, and the position where to go on if there are more.
  ///
  /// It takes time for what it reports, and one comparison for a few hundred songs of the queue. A version that this
  /// queue has not had yet, or 0, gives all: the client has it from another life of the server. What is missing at the
  /// end is to be seen by `count` only.
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

  /// The credentials that the user of this process has given with a song at `locator`; nil if there are none.
  package func ownCredentials(for locator: SongLocator) -> Credentials? {
    credentials.first { entries[$0.key].reach == .all && entries[$0.key].locator == locator }?.value
  }

  /// The priority of a song.
  func priority(of slot: Slot) -> UInt8 { priorities.isEmpty ? 0 : priorities[slot] ?? 0 }

  /// Whether a song has one above 0.
  var hasPriorities: Bool { !priorities.isEmpty }

  // MARK: Editing

  /// Inserts `songs` in front of the one at `position` (`nil`: at the end) and returns their numbers: one edit, one
  /// version.
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

  /// Takes the songs of `range` out and returns their numbers.
  ///
  /// As in MPD, the range may end behind the queue, and nothing happens if it is empty.
  /// - Throws: `badSongIndex` if it begins behind the end of the queue.
  @discardableResult
  package mutating func remove(_ range: Range<Int>) throws(JukeboxError) -> [SongID] {
    guard range.lowerBound >= 0, range.lowerBound <= count else { throw .badSongIndex }
    return take(range.clamped(to: 0..<count))
  }

  /// Takes out `range`, which is in the queue.
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

  /// Takes all songs out. It is a new version also when there were none, as in MPD.
  package mutating func removeAll() {
    edition += 1
    order.removeAll()
    entries = EntryPages()
    ranges = [:]
    priorities = [:]
    credentials = [:]
    slots = [:]
    freeSlots = []
  }

  /// Moves the songs of `range` so that the first of them stands at `target` afterwards. Many cost hardly more than one.
  ///
  /// - Throws: `badSongIndex` if `range` is empty or not in the queue, `numberTooLarge` if `target` leaves no room for them.
  package mutating func move(_ range: Range<Int>, to target: Int) throws(JukeboxError) {
    guard range.lowerBound >= 0, range.upperBound <= count, !range.isEmpty else { throw .badSongIndex }
    guard target >= 0, target <= count - range.count else { throw .numberTooLarge(target) }
    guard target != range.lowerBound else { return }
    edition += 1
    order.move(range, to: target, stamp: edition)
  }

  /// Exchanges two songs. It is a new version also when they are one, as in MPD.
  ///
  /// - Throws: `badSongIndex`.
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

  /// Puts the songs of `range` into random order. Nothing happens to fewer than two.
  ///
  /// - Throws: `badSongIndex` if the range begins behind the end of the queue; it may end there.
  package mutating func shuffle(
    _ range: Range<Int>, using generator: inout some RandomNumberGenerator
  ) throws(JukeboxError) {
    guard range.lowerBound >= 0, range.lowerBound <= count else { throw .badSongIndex }
    let range = range.clamped(to: 0..<count)
    guard range.count > 1 else { return }
    edition += 1
    var slots: [Slot] = []
    slots.reserveCapacity(range.count)
    order.forEach(in: range) { slots.append($0) }
    slots.shuffle(using: &generator)
    order.replace(range, with: slots, stamp: edition)
  }

  /// Sets what is played of a song. Nothing happens if it is that already.
  ///
  /// - Throws: `noSuchSong`.
  package mutating func setRange(_ range: SongRange?, of id: SongID) throws(JukeboxError) {
    guard let slot = slots[id] else { throw .noSuchSong }
    guard ranges[slot] != range else { return }
    ranges[slot] = range
    touch([slot])
  }

  /// Sets the priority of songs of the queue: one edit for all. Nothing happens to those that have it already.
  mutating func setPriority(_ priority: UInt8, of slots: [Slot]) {
    let changed = slots.filter { self.priority(of: $0) != priority }
    for slot in changed { priorities[slot] = priority == 0 ? nil : priority }
    touch(changed)
  }

  /// Sets what songs say about themselves: one edit for all. Songs that have left the queue meanwhile are passed
  /// over. Returns whether there was one that has not.
  @discardableResult
  package mutating func setMetadata(_ metadata: [(id: SongID, metadata: SongMetadata)]) -> Bool {
    var touched: [Slot] = []
    for (id, metadata) in metadata {
      guard let slot = slots[id] else { continue }
      entries[slot].metadata = metadata
      touched.append(slot)
    }
    touch(touched)
    return !touched.isEmpty
  }

  /// A song from the network has said something about itself: its length in seconds, if that is known, and tags, which take
  /// the place of those of their types; an empty one only takes their place. Nothing happens if it has said that before, or
  /// to a file.
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

  /// Adds a tag to a song from the network, behind those that it has.
  ///
  /// - Throws: `noSuchSong`, `songIsLocal`; `queueFull` if the song has more of them than `maximumTagBytes`.
  package mutating func addTag(_ tag: SongTag, to id: SongID) throws(JukeboxError) {
    try editTags(of: id) { $0.append(tag) }
  }

  /// Takes the tags of a type (`nil`: all) from a song from the network.
  ///
  /// - Throws: `noSuchSong`, `songIsLocal`.
  package mutating func removeTags(_ type: TagType?, of id: SongID) throws(JukeboxError) {
    try editTags(of: id) { tags in tags.removeAll { type == nil || $0.type == type } }
  }

  /// It is a new version also when nothing has changed, as in MPD.
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

  /// One edit in which the content of `slots` changed.
  private mutating func touch(_ slots: [Slot]) {
    guard !slots.isEmpty else { return }
    edition += 1
    for slot in slots {
      let rank = order.rank(of: slot)
      order.stamp(rank..<rank + 1, edition)
    }
  }

  /// Gives songs their places; the numbers are new to the queue and each is there once.
  private mutating func place(_ songs: [(SongID, Song)], at position: Int) {
    edition += 1
    let new = songs.map { id, song in
      let slot: Slot
      let entry = EntryPages.Entry(
        locator: song.locator, metadata: song.metadata, id: id, reach: song.reach)
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

  /// A queue as it was saved; `nil` if a number is not below `nextID`, is there twice, is 0, or there are too many.
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
