import AudioCore
import DequeModule

// Items leave the queue by themselves when they end or fail. The application hears of it later, and until then they
// keep their places for it.
extension EngineMachine {
  /// An item that left the queue by itself, which the application was not told yet.
  struct Departure: Sendable {
    let id: ItemID
    /// The item that it stood behind; nil for the front of the queue.
    var predecessor: ItemID?
  }

  /// The queue with the items whose departure was not told yet. Takes time in proportion to its length.
  var itemsUntilTold: [ItemID] {
    guard !departures.isEmpty else { return queue.ids }
    var known = PlayQueue<Void>()
    for id in queue.ids { _ = known.insert((), id: id, after: nil) }
    for departure in departures.reversed() {
      if let predecessor = departure.predecessor {
        _ = known.insert((), id: departure.id, after: predecessor)
      } else {
        _ = known.prepend((), id: departure.id)
      }
    }
    return known.ids
  }

  /// An item ended or failed: takes it out of the queue.
  mutating func depart(_ id: ItemID) {
    let predecessor = queue.previous(of: id)
    guard queue.remove(id) != nil else { return }
    departures.append(Departure(id: id, predecessor: predecessor))
  }

  /// The application was told that `id` has left.
  mutating func forgetDeparture(of id: ItemID) {
    guard let index = departures.firstIndex(where: { $0.id == id }) else { return }
    let predecessor = departures.remove(at: index).predecessor
    // Only what left before it can have stood behind it.
    for earlier in 0..<index where departures[earlier].predecessor == id {
      departures[earlier].predecessor = predecessor
    }
  }

  /// A call goes on from `known` (nil for the current item): what departed in front of the next item is out of the queue.
  mutating func forgetDepartures(from known: ItemID?) {
    departures.removeAll { $0.predecessor == nil || $0.predecessor == known }
  }

  /// What departed behind `id` (nil for the front of the queue) stands behind `predecessor` from now on.
  mutating func moveDepartures(from id: ItemID?, to predecessor: ItemID?) {
    for index in departures.indices where departures[index].predecessor == id {
      departures[index].predecessor = predecessor
    }
  }
}
