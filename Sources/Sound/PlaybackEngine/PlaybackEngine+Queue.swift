package import AudioCore
import Clocks

extension PlaybackEngine {
  /// The items in order, the current one first. Takes time proportional to the queue's length.
  package var items: [ItemID] { read { $0.queue.ids } }

  /// The items in order, including items that ended or failed and are not yet passed to `forgetDeparture`.
  package var itemsUntilTold: [ItemID] { read { $0.itemsUntilTold } }

  /// Whether `itemsUntilTold` contains `id`.
  package func containsUntilTold(_ id: ItemID) -> Bool { read { $0.containsUntilTold(id) } }

  /// Drops an ended or failed item from `itemsUntilTold`, once the application has been notified.
  package func forgetDeparture(of id: ItemID) { mutate { $0.forgetDeparture(of: id) } }

  /// The current item; nil if the queue is empty.
  package var currentItem: ItemID? { read { $0.current } }

  package func contains(_ id: ItemID) -> Bool { read { $0.queue.contains(id) } }

  /// Inserts an item after `after`, or at the end for nil; playback of the item starts at `startSeconds`. If
  /// the item becomes current, the notice of the change follows the pending end notices of earlier items.
  /// Returns false if `id` is already in the queue or `after` is not.
  @discardableResult
  package func insert(
    _ id: ItemID, source: any MediaSource, mix: ItemMix = ItemMix(), after: ItemID? = nil,
    startSeconds: Double = 0
  ) -> Bool {
    call(.addition) { $0.insert(id, source: source, mix: mix, after: after, startSeconds: startSeconds) }
  }

  /// Removes an item; the current one is skipped as by `advanceToNextItem`, except that the notice follows
  /// pending end notices of earlier items. Drops observer steps of the removed item if the item has not been
  /// reported as current yet.
  package func remove(_ id: ItemID) {
    call(.addition) { $0.remove(id) }
    deliveries.main.forget(stepsIn: id)
  }

  /// Empties the queue and silences the output at once.
  package func removeAllItems() { call(.call) { $0.requestRemoveAll() } }

  /// Removes the current item and continues with the next one. `id` is the item that the caller believes
  /// current (nil: the actual one). If `id` is no longer current, the queue stays, and the notice of the current
  /// item is repeated.
  package func advanceToNextItem(from id: ItemID? = nil) { call(.call) { $0.advance(from: id) } }

  /// Replaces the current item with `id`, to be started at `startSeconds`; the rest of the queue stays.
  /// `known` is the item that the caller believes current (nil: the actual one). If `known` has already
  /// ended, its successor stays in the queue, after `id`. If `id` is in the queue, the call has no effect, and
  /// returns whether `id` is current.
  @discardableResult
  package func replaceCurrentItem(
    _ id: ItemID, source: any MediaSource, mix: ItemMix = ItemMix(), startSeconds: Double = 0,
    replacing known: ItemID? = nil
  ) -> Bool {
    call(.call) {
      $0.replaceCurrent(id, source: source, mix: mix, startSeconds: startSeconds, replacing: known)
    }
  }

  /// The format, length and bit rate of an item in the queue; nil before it was opened.
  package func info(of id: ItemID) -> ItemInfo? { read { $0.queue[id]?.info } }

  /// Sets the latest end of an item, in seconds of its time; nil restores the item's own end.
  package func setEnd(_ seconds: Double?, of id: ItemID) { call(.call) { $0.setEnd(seconds, of: id) } }

  /// Sets the start position of an item, in seconds of its time. Returns false, without effect, if the item
  /// is current.
  @discardableResult
  package func setStart(_ seconds: Double, of id: ItemID) -> Bool {
    call(.call) { $0.setStart(seconds, of: id) }
  }

  package var actionAtItemEnd: EngineActionAtItemEnd {
    get { read { $0.actionAtItemEnd } }
    set {
      let now = clock.now
      call(.addition) { $0.setActionAtItemEnd(newValue, now: now) }
    }
  }
}
