internal import ControlProtocol

/// The play order: the queue's own, or a random one that contains every song once.
///
/// In random order, a song added to the queue gets a random rank after the current song, so that it is heard
/// in this round. Removed songs leave the order. Moves, swaps and shuffles of the queue leave the random order
/// unchanged.
extension JukeboxMachine {
  func orderRank(of id: SongID) -> Int {
    guard let slot = queue.slot(of: id) else { return 0 }
    if let shuffled { return shuffled.rank(of: slot) }
    return queue.order.rank(of: slot)
  }

  /// Returns the slot at `rank` (0 ..< count) in the play order.
  func orderSlot(_ rank: Int) -> SlotSequence.Slot {
    if let shuffled { return shuffled[rank] }
    return queue.order[rank]
  }

  func orderID(_ rank: Int) -> SongID { queue.id(of: orderSlot(rank)) }

  /// Returns the song that follows a song of the queue after its end, possibly after a pause; nil if none
  /// does.
  func following(_ id: SongID) -> SongID? {
    isRepeating && single != .off && consume == .off ? id : succeeding(id)
  }

  /// Returns the target of `next` when the song `id` is current; nil if playback ends.
  func succeeding(_ id: SongID) -> SongID? {
    let rank = orderRank(of: id)
    if rank + 1 < queue.count { return orderID(rank + 1) }
    return isRepeating && (rank > 0 || consume == .off) ? orderID(0) : nil
  }

  /// Returns the target of `previous` when the song `id` is current. Without repeat, the first song precedes
  /// itself.
  func preceding(_ id: SongID) -> SongID {
    let rank = orderRank(of: id)
    return rank > 0 ? orderID(rank - 1) : isRepeating ? orderID(queue.count - 1) : id
  }

  /// Returns the first song after `id` in the play order that is outside `range` of the queue; nil if none. With
  /// repeat, the search continues at the beginning of the order.
  func survivor(of range: Range<Int>, after id: SongID) -> SongID? {
    let count = queue.count
    guard range.count < count else { return nil }
    let start = orderRank(of: id)
    let end = isRepeating ? start + count : count
    guard start + 1 < end else { return nil }
    return (start + 1..<end).lazy.map { orderSlot($0 % count) }
      .first { !range.contains(queue.order.rank(of: $0)) }.map { queue.id(of: $0) }
  }

  /// Makes a song the current one. If a repeating random round ends with the song, draws the next round,
  /// since the player needs the upcoming songs early. The song becomes the first of the new round, so it is
  /// not heard twice in a row.
  mutating func becomeCurrent(_ id: SongID) {
    currentID = id
    drawNextRound()
  }

  mutating func drawNextRound() {
    guard isRandom, isRepeating, consume == .off, let currentID, queue.count > 1,
      orderRank(of: currentID) == queue.count - 1
    else { return }
    drawOrder()
  }

  mutating func drawOrder() {
    var slots = queue.order.slots(in: 0..<queue.count)
    shuffle(&slots)
    if let current = currentID.flatMap({ queue.slot(of: $0) }), let place = slots.firstIndex(of: current) {
      slots.insert(slots.remove(at: place), at: 0)
    }
    shuffled = SlotSequence(slots)
  }

  /// In random order, moves a requested song directly after the current one; without a current song, to the
  /// front. All other songs keep their order.
  mutating func bringForward(_ id: SongID) {
    guard isRandom, id != currentID, let slot = queue.slot(of: id) else { return }
    let from = orderRank(of: id)
    shuffled?.remove(from..<from + 1, stamp: 0)
    let target = currentID.map { orderRank(of: $0) + 1 } ?? 0
    shuffled?.insert([slot], at: target, stamp: 0)
  }

  mutating func addToOrder(_ ids: [SongID]) {
    guard isRandom else { return }
    takeTurns(ids.compactMap { queue.slot(of: $0) })
  }

  /// Inserts songs of the queue into the play order, each at a random position among the upcoming songs of
  /// its priority.
  private mutating func takeTurns(_ slots: [SlotSequence.Slot]) {
    guard slots.count < Self.manySongs else {
      // Drawing the rest of the round again is cheaper than inserting each song.
      let (first, count) = (firstToCome, shuffled?.count ?? 0)
      var slots = slots + (shuffled?.remove(first..<count, stamp: 0) ?? [])
      shuffle(&slots)
      shuffled?.insert(slots, at: first, stamp: 0)
      return
    }
    for slot in slots {
      let turn = turn(of: queue.priority(of: slot))
      let rank = Int.random(in: turn.lowerBound...turn.upperBound, using: &generator)
      shuffled?.insert([slot], at: rank, stamp: 0)
    }
  }

  private var firstToCome: Int { currentID.map { orderRank(of: $0) + 1 } ?? 0 }

  private mutating func shuffle(_ slots: inout [SlotSequence.Slot]) {
    slots.shuffle(using: &generator)
    // Swift's sort is stable, so songs of equal priority stay in random order.
    if queue.hasPriorities { slots.sort { queue.priority(of: $0) > queue.priority(of: $1) } }
  }

  /// Returns the range of upcoming songs with this priority in the play order. Songs with a higher priority
  /// come before the range, directly after the current song.
  private func turn(of priority: UInt8) -> Range<Int> {
    let count = shuffled?.count ?? 0
    let first = firstToCome
    guard queue.hasPriorities else { return first..<count }
    func end(from start: Int, while isBefore: (UInt8) -> Bool) -> Int {
      (start..<count).first { !isBefore(queue.priority(of: orderSlot($0))) } ?? count
    }
    let start = end(from: first) { $0 > priority }
    return start..<(priority == 0 ? count : end(from: start) { $0 == priority })
  }

  /// Moves upcoming songs whose priority has changed from `old`. A song that was already heard in this round
  /// plays again only if its priority is now above the current song's and was not before.
  mutating func reorder(_ songs: [(slot: SlotSequence.Slot, old: UInt8)]) {
    guard isRandom else { return }
    let current = currentID.flatMap { queue.slot(of: $0) }
    let limit = current.map { queue.priority(of: $0) } ?? 0
    var moving: [SlotSequence.Slot] = []
    for (slot, old) in songs where slot != current {
      guard let rank = shuffled?.rank(of: slot) else { continue }
      let isHeard = rank < firstToCome
      if isHeard, old > limit || queue.priority(of: slot) <= limit { continue }
      shuffled?.remove(rank..<rank + 1, stamp: 0)
      moving.append(slot)
    }
    takeTurns(moving)
  }

  /// The minimum number of songs for which drawing a new random order is cheaper than inserting each song. A
  /// new order of 100,000 songs takes 10 ms, an insertion 5 µs.
  private static var manySongs: Int { 2000 }

  mutating func removeFromOrder(_ range: Range<Int>) {
    guard isRandom else { return }
    for slot in queue.order.slots(in: range) {
      guard let rank = shuffled?.rank(of: slot) else { return }
      shuffled?.remove(rank..<rank + 1, stamp: 0)
    }
  }
}
