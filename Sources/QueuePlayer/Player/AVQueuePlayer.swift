public import Foundation

/// Plays items one after the other, without a gap.
///
/// An item that was heard to its end leaves the queue, and so does at once one that cannot be opened. Behind
/// the last one `currentItem` is nil and `rate` stays 1: what is inserted then plays at once.
@preconcurrency @MainActor
open class AVQueuePlayer: AVPlayer {
  /// A player with an empty queue.
  nonisolated public override init() {
    super.init(core: PlayerCore(isQueuePlayer: true, environment: .current), items: [])
  }

  /// A player of these items, in this order. Stops the program if one is there twice or in another player.
  nonisolated public init(items: [AVPlayerItem]) {
    super.init(core: PlayerCore(isQueuePlayer: true, environment: .current), items: items)
  }

  /// A player with an item for the media at `url` in its queue.
  nonisolated public override init(url: URL) {
    super.init(core: PlayerCore(isQueuePlayer: true, environment: .current), items: [AVPlayerItem(url: url)])
  }

  /// A player with `item` in its queue. Stops the program if the item is in another player.
  nonisolated public override init(playerItem item: AVPlayerItem?) {
    super.init(
      core: PlayerCore(isQueuePlayer: true, environment: .current), items: item.map { [$0] } ?? [])
  }

  /// A player in an environment of its own, whatever `PlaybackEnvironment.current` is.
  nonisolated package convenience init(items: [AVPlayerItem], environment: PlaybackEnvironment) {
    self.init(core: PlayerCore(isQueuePlayer: true, environment: environment), items: items)
  }

  // Internal: a designated initialiser that subclasses can see, they have to override.
  nonisolated override init(core: PlayerCore, items: [AVPlayerItem]) { super.init(core: core, items: items) }

  /// The queue, the current item first. Takes time in proportion to its length.
  nonisolated open func items() -> [AVPlayerItem] { core.items }

  /// Ends the current item, which leaves the queue, and goes on with the next at once.
  nonisolated open func advanceToNextItem() { core.advanceToNextItem() }

  /// Whether `item` could be inserted behind `afterItem`, or at the end for nil: it is in no queue yet, and
  /// `afterItem` in this one.
  nonisolated open func canInsert(_ item: AVPlayerItem, after afterItem: AVPlayerItem?) -> Bool {
    core.canInsert(item, after: afterItem)
  }

  /// Inserts `item` behind `afterItem`, or at the end for nil. In an empty queue it becomes current, and
  /// plays if `rate` is not 0. Stops the program if it is in a queue already or `afterItem` is not in this
  /// one.
  nonisolated open func insert(_ item: AVPlayerItem, after afterItem: AVPlayerItem?) {
    core.insert(item, after: afterItem)
  }

  /// Takes `item` out of the queue; the current one as `advanceToNextItem` does. Without effect if it is not
  /// in it.
  nonisolated open func remove(_ item: AVPlayerItem) { core.remove(item) }

  /// Empties the queue; sound stops at once.
  nonisolated open func removeAllItems() { core.removeAllItems() }
}
