internal import ControlProtocol

/// The play order: the queue's own, or the one that chance made, in which every song stands once.
///
/// Its edits follow those of the queue one by one. Songs that are added stand somewhere behind the current one, so that
/// they are heard in this round.
extension JukeboxMachine {
  /// Where a song of the queue stands in the play order.
  func orderRank(of id: SongID) -> Int {
    guard let slot = queue.slot(of: id) else { return 0 }
    if let shuffled { return shuffled.rank(of: slot) }
    return queue.order.rank(of: slot)
  }

  /// What stands there; `rank` is in 0 ..< count.
  func orderSlot(_ rank: Int) -> SlotSequence.Slot {
    if let shuffled { return shuffled[rank] }
    return queue.order[rank]
  }

  func orderID(_ rank: Int) -> SongID { queue.id(of: orderSlot(rank)) }

  /// What comes behind a song of the queue when it has been heard, if nothing stops there.
  func following(_ id: SongID) -> SongID? {
    isRepeating && single != .off && consume == .off ? id : succeeding(id)
  }

  /// What `next` goes to.
  func succeeding(_ id: SongID) -> SongID? {
    let rank = orderRank(of: id)
    if rank + 1 < queue.count { return orderID(rank + 1) }
    return isRepeating && (rank > 0 || consume == .off) ? orderID(0) : nil
  }

  /// What `previous` goes to: the first song again from itself, unless the order is a circle.
  func preceding(_ id: SongID) -> SongID {
    let rank = orderRank(of: id)
    return rank > 0 ? orderID(rank - 1) : isRepeating ? orderID(queue.count - 1) : id
  }

  /// The first song behind `id` in the play order that is not in `range` of the queue.
  func survivor(of range: Range<Int>, after id: SongID) -> SongID? {
    let count = queue.count
    guard range.count < count else { return nil }
    let start = orderRank(of: id)
    let end = isRepeating ? start + count : count
    guard start + 1 < end else { return nil }
    return (start + 1..<end).lazy.map { orderSlot($0 % count) }
      .first { !range.contains(queue.order.rank(of: $0)) }.map { queue.id(of: $0) }
  }

  /// Makes a song the current one, and draws the next round when it is the last of a random one: the player needs to
  /// know early what follows. It becomes the first of the new round, so it is not heard twice in a row.
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

  /// A new order of chance, those with more priority first; the current song before them all.
  mutating func drawOrder() {
    var slots: [SlotSequence.Slot] = []
    slots.reserveCapacity(queue.count)
    queue.order.forEach(in: 0..<queue.count) { slots.append($0) }
    shuffle(&slots)
    if let current = currentID.flatMap({ queue.slot(of: $0) }), let place = slots.firstIndex(of: current) {
      slots.insert(slots.remove(at: place), at: 0)
    }
    shuffled = SlotSequence(slots)
  }

  /// Puts a song that was asked for right behind the current one, so that the others keep their turn.
  mutating func bringForward(_ id: SongID) {
    guard isRandom, id != currentID, let slot = queue.slot(of: id) else { return }
    let from = orderRank(of: id)
    _ = shuffled?.remove(from..<from + 1, stamp: 0)
    let target = currentID.map { orderRank(of: $0) + 1 } ?? 0
    shuffled?.insert([slot], at: target, stamp: 0)
  }

  /// Songs have come into the queue.
  mutating func addToOrder(_ ids: [SongID]) {
    guard isRandom else { return }
    takeTurns(ids.compactMap { queue.slot(of: $0) })
  }

  /// Songs of the queue that are not in the order take places by chance among those with the same priority that are to
  /// come.
  private mutating func takeTurns(_ slots: [SlotSequence.Slot]) {
    guard slots.count < Self.manySongs else {
      // Drawing the rest of the round anew is cheaper than a place for each.
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

  /// An order of chance, those with more priority first.
  private mutating func shuffle(_ slots: inout [SlotSequence.Slot]) {
    slots.shuffle(using: &generator)
    // Stable, as Swift's sort is: chance decides between equals.
    if queue.hasPriorities { slots.sort { queue.priority(of: $0) > queue.priority(of: $1) } }
  }

  /// Where in the play order the songs of this priority stand that are to come: behind those with more, which follow the
  /// current one.
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

  /// Songs have another priority, before `old`: they take other turns, as far as they are still to come. One that was
  /// heard in this round comes again only if it has more than the current one now, and had not before.
  mutating func reorder(_ songs: [(slot: SlotSequence.Slot, old: UInt8)]) {
    guard isRandom else { return }
    let current = currentID.flatMap { queue.slot(of: $0) }
    let limit = current.map { queue.priority(of: $0) } ?? 0
    var moving: [SlotSequence.Slot] = []
    for (slot, old) in songs where slot != current {
      guard let rank = shuffled?.rank(of: slot) else { continue }
      let isHeard = rank < firstToCome
      if isHeard, old > limit || queue.priority(of: slot) <= limit { continue }
      _ = shuffled?.remove(rank..<rank + 1, stamp: 0)
      moving.append(slot)
    }
    takeTurns(moving)
  }

  /// From so many on, adding songs costs about as much one by one as a new round of 100,000: 5 µs against 10 ms.
  private static var manySongs: Int { 2000 }

  /// Songs are about to leave the queue.
  mutating func removeFromOrder(_ range: Range<Int>) {
    guard isRandom else { return }
    var slots: [SlotSequence.Slot] = []
    queue.order.forEach(in: range) { slots.append($0) }
    for slot in slots {
      guard let rank = shuffled?.rank(of: slot) else { return }
      _ = shuffled?.remove(rank..<rank + 1, stamp: 0)
    }
  }
}
