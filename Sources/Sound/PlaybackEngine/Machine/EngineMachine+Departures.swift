import AudioCore
import DequeModule

// Departures: items leave the queue automatically when they end or fail. The application is notified later,
// and until then the items keep their positions in its view of the queue.
extension EngineMachine {
  /// An item that left the queue automatically and whose departure is not reported yet.
  struct Departure: Sendable {
    let id: ItemID
    /// The item that preceded it; nil at the front of the queue.
    var predecessor: ItemID?
  }

  /// The queue including the items whose departure is not reported yet. Takes time proportional to the
  /// queue's length.
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

  /// Removes an item that ended or failed from the queue.
  mutating func depart(_ id: ItemID) {
    let predecessor = queue.previous(of: id)
    guard queue.remove(id) != nil else { return }
    departures.append(Departure(id: id, predecessor: predecessor))
  }

  /// Records that the application was notified of the departure of `id`.
  mutating func forgetDeparture(of id: ItemID) {
    guard let index = departures.firstIndex(where: { $0.id == id }) else { return }
    let predecessor = departures.remove(at: index).predecessor
    // A departure that followed the removed one in the queue can only be an earlier one.
    for earlier in 0..<index where departures[earlier].predecessor == id {
      departures[earlier].predecessor = predecessor
    }
  }

  /// Drops the departures before the next item, because a call continues from `known` (nil: the current
  /// item).
  mutating func forgetDepartures(from known: ItemID?) {
    departures.removeAll { $0.predecessor == nil || $0.predecessor == known }
  }

  /// Attaches the departures that follow `id` (nil: the front of the queue) to `predecessor`.
  mutating func moveDepartures(from id: ItemID?, to predecessor: ItemID?) {
    for index in departures.indices where departures[index].predecessor == id {
      departures[index].predecessor = predecessor
    }
  }
}
