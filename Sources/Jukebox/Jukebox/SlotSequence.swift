/// A sequence of slots in chunks of up to 256. Insertions, removals and moves change one or two chunks, then
/// the list of chunks, which is short and contiguous (500 numbers for 100,000 slots). Up to a million slots
/// that is faster than a tree, whose logarithmic steps are cache misses.
///
/// A slot is a number (1 and above) that its owner chose and that never changes. It leads to its chunk and so
/// to its rank, its index in the sequence. Every chunk but the last has at least `chunkFloor` slots.
///
/// Each slot has a *stamp*, the edit that changed it last. Stamping a range costs time for its chunks, not
/// for its slots. Stamps never decrease, so a search for newer ones skips whole chunks.
///
/// The type is a value: a copy shares its chunks with the original until one of the two edits them.
struct SlotSequence: Sendable {
  typealias Slot = UInt32

  /// The maximum number of slots in a chunk. Between 128 and 512 all edits take the same time within a third.
  /// Larger chunks favour single edits, smaller ones moves of many songs.
  static let chunkLimit = 256
  /// The minimum number of slots in any chunk but the last: a quarter, so that a chunk can take many edits
  /// between a split and a join.
  static let chunkFloor = chunkLimit / 4
  /// The maximum number of slots in chunks that are made in bulk, so that each has room for insertions.
  static let chunkFill = chunkLimit / 4 * 3

  struct Chunk: Sendable {
    var slots: [Slot] = []
    /// The stamp of each slot; empty while the stamp common to all slots applies.
    var stamps: [UInt64] = []
  }

  /// The chunks by number.
  var chunks: [Chunk] = []
  var freeChunks: [UInt32] = []
  /// The chunks in order.
  var list = ChunkList()
  /// The index of each chunk in `list`, by chunk number.
  var placeOfChunk: [UInt32] = []
  /// The number of each slot's chunk, by slot.
  var chunkOfSlot: [UInt32] = []

  /// The number of slots.
  var count: Int { list.count }

  init() {}

  /// Creates the sequence of `slots`, with stamp 0.
  init(_ slots: [Slot]) {
    insert(slots, at: 0, stamp: 0)
  }

  // MARK: Asking

  /// The rank of `slot`, which must be in the sequence.
  func rank(of slot: Slot) -> Int {
    let chunk = Int(chunkOfSlot[Int(slot)])
    return list.start(Int(placeOfChunk[chunk])) + Self.index(of: slot, in: chunks[chunk].slots)
  }

  /// The slot at `rank`, which must be in 0 ..< count.
  subscript(rank: Int) -> Slot {
    let place = list.place(of: rank)
    return chunks[list.chunk(place)].slots[rank - list.start(place)]
  }

  /// Calls `body` with every slot of `range` in order.
  func forEach(in range: Range<Int>, _ body: (Slot) -> Void) {
    list.forEachPart(of: range) { place, part in
      for slot in chunks[list.chunk(place)].slots[part] { body(slot) }
    }
  }

  /// Calls `body` with the rank and slot of every slot of `range` whose stamp is above `stamp`, in order,
  /// until it returns false.
  func forEach(newerThan stamp: UInt64, in range: Range<Int>, _ body: (Int, Slot) -> Bool) {
    var goesOn = true
    list.forEachPart(of: range) { place, part in
      guard goesOn, list.newest[place] > stamp else { return }
      let chunk = chunks[list.chunk(place)]
      let start = list.start(place)
      let isNewer = list.common[place] > stamp
      for offset in part where isNewer || chunk.stamps[offset] > stamp {
        goesOn = body(start + offset, chunk.slots[offset])
        if !goesOn { return }
      }
    }
  }

  private static func index(of slot: Slot, in slots: [Slot]) -> Int {
    slots.withUnsafeBufferPointer { slots in
      var index = 0
      while slots[index] != slot { index += 1 }
      return index
    }
  }

  // MARK: Editing

  /// Inserts `slots`, none of which may be in the sequence, before the slot at `rank` (0 ... count). These
  /// slots and all after them get `stamp`.
  mutating func insert(_ slots: [Slot], at rank: Int, stamp: UInt64) {
    guard !slots.isEmpty else { return }
    implant(slots, at: rank)
    self.stamp(rank..<count, stamp)
  }

  /// Removes the slots of `range` and returns them in order. All slots after them get `stamp`.
  mutating func remove(_ range: Range<Int>, stamp: UInt64) -> [Slot] {
    guard !range.isEmpty else { return [] }
    let slots = extract(range)
    self.stamp(range.lowerBound..<count, stamp)
    return slots
  }

  /// Moves `range` so that it begins at `target` (0 ... count - range.count). All slots whose rank changes
  /// get `stamp`.
  mutating func move(_ range: Range<Int>, to target: Int, stamp: UInt64) {
    if range.count <= Self.chunkFloor {
      implant(extract(range), at: target)
    } else {
      moveChunks(range, to: target)
    }
    self.stamp(min(range.lowerBound, target)..<max(range.upperBound, target + range.count), stamp)
  }

  /// Replaces the slots of `range` by `slots`, a permutation of them, with `stamp`.
  mutating func replace(_ range: Range<Int>, with slots: [Slot], stamp: UInt64) {
    var next = 0
    list.forEachPart(of: range) { place, part in
      let chunk = list.chunk(place)
      for offset in part {
        chunks[chunk].slots[offset] = slots[next]
        chunkOfSlot[Int(slots[next])] = UInt32(chunk)
        next += 1
      }
    }
    self.stamp(range, stamp)
  }

  /// Exchanges the slots at `low` and `high`, which must be larger, and gives both the stamp.
  mutating func swap(_ low: Int, _ high: Int, stamp: UInt64) {
    let (first, second) = (self[low], self[high])
    replace(low..<low + 1, with: [second], stamp: stamp)
    replace(high..<high + 1, with: [first], stamp: stamp)
  }

  /// Gives all slots of `range` the stamp.
  mutating func stamp(_ range: Range<Int>, _ stamp: UInt64) {
    guard !range.isEmpty else { return }
    var first = list.place(of: range.lowerBound)
    var last = list.place(of: range.upperBound - 1)
    let (front, back) = (range.lowerBound - list.start(first), range.upperBound - list.start(last))
    let isCut = back < list.size(last)
    if front > 0 {
      self.stamp(part: front..<(first < last ? list.size(first) : back), of: first, stamp)
      first += 1
    }
    if isCut {
      if first <= last { self.stamp(part: 0..<back, of: last, stamp) }
      last -= 1
    }
    if first <= last { list.stamp(first...last, stamp) }
  }

  private mutating func stamp(part: Range<Int>, of place: Int, _ stamp: UInt64) {
    guard list.common[place] != stamp else { return }
    let chunk = list.chunk(place)
    if chunks[chunk].stamps.isEmpty {
      chunks[chunk].stamps.reserveCapacity(Self.chunkLimit)
      chunks[chunk].stamps.append(contentsOf: repeatElement(list.common[place], count: list.size(place)))
    }
    chunks[chunk].stamps.withUnsafeMutableBufferPointer { $0[part].update(repeating: stamp) }
    list.newest[place] = stamp
  }

  mutating func removeAll() {
    self = SlotSequence()
  }
}
