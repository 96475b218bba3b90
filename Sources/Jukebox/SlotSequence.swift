/// A sequence of slots in chunks of a few hundred: what is inserted, taken out or moved costs work in one or two chunks
/// and a pass over the list of chunks, which is short and in one piece (500 numbers for 100,000 slots). Up to a million
/// slots that is faster than a tree, whose logarithm is one of cache misses.
///
/// A slot is a number that its owner chose, from 1 on, and stays its own for life; it knows its chunk, so it knows its
/// rank. Every chunk but the last has at least `chunkFloor` slots.
///
/// Each slot carries a *stamp*, and a whole stretch gets a new one at the cost of its chunks. Stamps never decrease, so
/// what is not newer is passed over chunk by chunk.
///
/// A value. A copy shares its chunks with the original until one of the two edits them.
struct SlotSequence: Sendable {
  typealias Slot = UInt32

  /// The most slots of a chunk. Between 128 and 512 all edits take the same, give or take a third; single ones like large
  /// chunks, moves of many songs small ones.
  static let chunkLimit = 256
  /// The fewest slots of a chunk that is not the last: a quarter, so that what was split or joined has a long way to go
  /// until the next time.
  static let chunkFloor = chunkLimit / 4
  /// What chunks get at most that are made many at once, so that there is room between.
  static let chunkFill = chunkLimit / 4 * 3

  struct Chunk: Sendable {
    var slots: [Slot] = []
    /// One for each slot; none as long as the stamp that all have in common says it.
    var stamps: [UInt64] = []
  }

  /// By number.
  var chunks: [Chunk] = []
  var freeChunks: [UInt32] = []
  /// The chunks in order.
  var list = ChunkList()
  /// Where each chunk stands in the list, by number.
  var placeOfChunk: [UInt32] = []
  /// The number of each slot's chunk, by slot.
  var chunkOfSlot: [UInt32] = []

  /// How many slots there are.
  var count: Int { list.count }

  init() {}

  /// The sequence of `slots`, with the stamp 0.
  init(_ slots: [Slot]) {
    insert(slots, at: 0, stamp: 0)
  }

  // MARK: Asking

  /// Where `slot`, which is in the sequence, stands.
  func rank(of slot: Slot) -> Int {
    let chunk = Int(chunkOfSlot[Int(slot)])
    return list.start(Int(placeOfChunk[chunk])) + Self.index(of: slot, in: chunks[chunk].slots)
  }

  /// What stands at `rank`, which is in 0 ..< count.
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

  /// Calls `body` with every slot of `range` whose stamp is above `stamp`, and its rank, in order, until it says
  /// `false`.
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

  /// Inserts `slots`, none of which is in the sequence, in front of what stands at `rank` (0 ... count). They and all
  /// behind them get `stamp`.
  mutating func insert(_ slots: [Slot], at rank: Int, stamp: UInt64) {
    guard !slots.isEmpty else { return }
    implant(slots, at: rank)
    self.stamp(rank..<count, stamp)
  }

  /// Takes the slots of `range` out and returns them in order. All behind them get `stamp`.
  mutating func remove(_ range: Range<Int>, stamp: UInt64) -> [Slot] {
    guard !range.isEmpty else { return [] }
    let slots = extract(range)
    self.stamp(range.lowerBound..<count, stamp)
    return slots
  }

  /// Moves `range` so that it begins at `target` (0 ... count - range.count). All that stands elsewhere then gets
  /// `stamp`.
  mutating func move(_ range: Range<Int>, to target: Int, stamp: UInt64) {
    if range.count <= Self.chunkFloor {
      implant(extract(range), at: target)
    } else {
      moveChunks(range, to: target)
    }
    self.stamp(min(range.lowerBound, target)..<max(range.upperBound, target + range.count), stamp)
  }

  /// Puts `slots`, a permutation of what stands in `range`, there instead, with `stamp`.
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

  /// Exchanges what stands at `low` and at `high`, which is behind it, and gives both the stamp.
  mutating func swap(_ low: Int, _ high: Int, stamp: UInt64) {
    let (first, second) = (self[low], self[high])
    replace(low..<low + 1, with: [second], stamp: stamp)
    replace(high..<high + 1, with: [first], stamp: stamp)
  }

  /// Gives everything in `range` the stamp.
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
