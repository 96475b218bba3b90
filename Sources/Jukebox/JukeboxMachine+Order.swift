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

  /// A new order of chance; the current song is the first.
  mutating func drawOrder() {
    var slots: [SlotSequence.Slot] = []
    slots.reserveCapacity(queue.count)
    queue.order.forEach(in: 0..<queue.count) { slots.append($0) }
    slots.shuffle(using: &generator)
    if let current = currentID.flatMap({ queue.slot(of: $0) }), let place = slots.firstIndex(of: current) {
      slots.swapAt(0, place)
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
    let first = currentID.map { orderRank(of: $0) + 1 } ?? 0
    var slots = ids.compactMap { queue.slot(of: $0) }
    let count = shuffled?.count ?? 0
    guard slots.count < Self.manySongs else {
      // Drawing the rest of the round anew is cheaper than a place for each.
      slots += shuffled?.remove(first..<count, stamp: 0) ?? []
      slots.shuffle(using: &generator)
      shuffled?.insert(slots, at: first, stamp: 0)
      return
    }
    for (added, slot) in slots.enumerated() {
      let rank = Int.random(in: first...count + added, using: &generator)
      shuffled?.insert([slot], at: rank, stamp: 0)
    }
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
