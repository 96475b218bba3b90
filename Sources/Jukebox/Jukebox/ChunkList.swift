/// The order of the chunks of a `SlotSequence` and the rank at which each begins. One array per property,
/// with an element for each chunk, since most edits add to or overwrite all elements after a position.
struct ChunkList: Sendable {
  /// Adjacent chunks that were removed from the list.
  struct Stretch {
    var numbers: ArraySlice<UInt32>
    /// The ranks before the removal.
    var starts: ArraySlice<UInt32>
    var common: ArraySlice<UInt64>
    var newest: ArraySlice<UInt64>
  }

  /// The chunk number at each index of the list.
  private(set) var numbers: [UInt32] = []
  /// The rank of each chunk's first slot.
  private(set) var starts: [UInt32] = []
  /// The minimum stamp of each chunk: each of its slots has this stamp or a newer one.
  var common: [UInt64] = []
  /// The newest stamp in each chunk.
  var newest: [UInt64] = []
  /// The total number of slots in all chunks.
  private(set) var count = 0

  // MARK: Asking

  /// The index after the last chunk.
  var end: Int { numbers.count }

  func chunk(_ place: Int) -> Int { Int(numbers[place]) }

  /// The rank of the first slot of the chunk at index `place`, or the number of slots at the end.
  func start(_ place: Int) -> Int { place < starts.count ? Int(starts[place]) : count }

  /// The number of slots of the chunk at index `place`.
  func size(_ place: Int) -> Int { start(place + 1) - start(place) }

  /// The index of the chunk that contains the slot at `rank` (0 ..< count).
  func place(of rank: Int) -> Int {
    starts.withUnsafeBufferPointer { starts in
      var low = 0
      var length = starts.count
      while length > 1 {
        let half = length / 2
        if Int(starts[low + half]) <= rank { low += half }
        length -= half
      }
      return low
    }
  }

  /// Calls `body` for each chunk that overlaps `range`, with the chunk's index and the overlapping offsets in
  /// that chunk.
  func forEachPart(of range: Range<Int>, _ body: (Int, Range<Int>) -> Void) {
    guard !range.isEmpty else { return }
    var place = place(of: range.lowerBound)
    var start = start(place)
    while start < range.upperBound {
      let end = self.start(place + 1)
      body(place, max(range.lowerBound, start) - start..<min(range.upperBound, end) - start)
      start = end
      place += 1
    }
  }

  // MARK: Editing

  /// Records that the chunk at index `place` has `difference` more slots. The chunks after it move.
  mutating func grow(_ place: Int, by difference: Int) {
    count += difference
    shift(place + 1..<end, by: difference)
  }

  /// Records that `taken` slots moved from the next chunk to the end of the chunk at index `place`.
  mutating func take(_ taken: Int, into place: Int) {
    starts[place + 1] += UInt32(taken)
  }

  /// Inserts chunk `number` after the chunk at index `place`; it has received the slots from `offset` on.
  mutating func split(_ place: Int, at offset: Int, to number: UInt32) {
    numbers.insert(number, at: place + 1)
    starts.insert(starts[place] + UInt32(offset), at: place + 1)
    common.insert(common[place], at: place + 1)
    newest.insert(newest[place], at: place + 1)
  }

  /// Removes a chunk whose slots were moved to the previous one.
  mutating func strike(_ place: Int) {
    _ = take(place..<place + 1, slots: 0)
  }

  /// Removes the chunks at `places`, which have `slots` slots together.
  mutating func take(_ places: Range<Int>, slots: Int) -> Stretch {
    let stretch = Stretch(
      numbers: numbers[places], starts: starts[places], common: common[places], newest: newest[places])
    numbers.removeSubrange(places)
    starts.removeSubrange(places)
    common.removeSubrange(places)
    newest.removeSubrange(places)
    count -= slots
    shift(places.lowerBound..<end, by: -slots)
    return stretch
  }

  /// Inserts chunks with `slots` slots together at index `place`.
  mutating func insert(_ stretch: Stretch, at place: Int, slots: Int) {
    let rank = start(place)
    numbers.insert(contentsOf: stretch.numbers, at: place)
    starts.insert(contentsOf: stretch.starts, at: place)
    common.insert(contentsOf: stretch.common, at: place)
    newest.insert(contentsOf: stretch.newest, at: place)
    count += slots
    let behind = place + stretch.numbers.count
    shift(place..<behind, by: rank - Int(stretch.starts.first ?? 0))
    shift(behind..<end, by: slots)
  }

  /// Gives all slots of the chunks at `places` the stamp.
  mutating func stamp(_ places: ClosedRange<Int>, _ stamp: UInt64) {
    common.withUnsafeMutableBufferPointer { $0[places].update(repeating: stamp) }
    newest.withUnsafeMutableBufferPointer { $0[places].update(repeating: stamp) }
  }

  private mutating func shift(_ places: Range<Int>, by difference: Int) {
    let difference = UInt32(truncatingIfNeeded: difference)
    starts.withUnsafeMutableBufferPointer { starts in
      for place in places { starts[place] &+= difference }
    }
  }
}
