/// In which order the chunks of a `SlotSequence` stand and where each begins. Arrays of numbers, one entry for each chunk,
/// since most edits add to or overwrite all that is behind them.
struct ChunkList: Sendable {
  /// Some chunks that stand next to each other, out of the list.
  struct Stretch {
    var numbers: ArraySlice<UInt32>
    /// Ranks as they were.
    var starts: ArraySlice<UInt32>
    var common: ArraySlice<UInt64>
    var newest: ArraySlice<UInt64>
  }

  /// Which chunk stands there.
  private(set) var numbers: [UInt32] = []
  /// The rank of its first slot.
  private(set) var starts: [UInt32] = []
  /// The stamp that each slot of it has at least.
  var common: [UInt64] = []
  /// The newest stamp in it.
  var newest: [UInt64] = []
  /// How many slots all have.
  private(set) var count = 0

  // MARK: Asking

  /// Behind the last.
  var end: Int { numbers.count }

  func chunk(_ place: Int) -> Int { Int(numbers[place]) }

  /// The rank of the first slot at that place, or of the end.
  func start(_ place: Int) -> Int { place < starts.count ? Int(starts[place]) : count }

  /// How many slots the chunk at that place has.
  func size(_ place: Int) -> Int { start(place + 1) - start(place) }

  /// The place of the chunk that has what stands at `rank`, which is in 0 ..< count.
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

  /// Calls `body` with each place that has something of `range`, and which of its chunk's slots that are.
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

  /// The chunk at that place has so many slots more: what is behind it moves.
  mutating func grow(_ place: Int, by difference: Int) {
    count += difference
    shift(place + 1..<end, by: difference)
  }

  /// Slots go over from the chunk behind to the one at that place.
  mutating func take(_ taken: Int, into place: Int) {
    starts[place + 1] += UInt32(taken)
  }

  /// A chunk was made of what is behind `offset` in the one at that place, and stands behind it.
  mutating func split(_ place: Int, at offset: Int, to number: UInt32) {
    numbers.insert(number, at: place + 1)
    starts.insert(starts[place] + UInt32(offset), at: place + 1)
    common.insert(common[place], at: place + 1)
    newest.insert(newest[place], at: place + 1)
  }

  /// Strikes out a chunk whose slots the one before it has got.
  mutating func strike(_ place: Int) {
    _ = take(place..<place + 1, slots: 0)
  }

  /// Takes chunks out, with so many slots.
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

  /// Puts chunks with so many slots there.
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

  /// Gives all slots of these chunks the stamp.
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
