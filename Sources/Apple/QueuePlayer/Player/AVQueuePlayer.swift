package import AudioSession
public import Foundation

/// A player of a queue of items, without gaps between them.
///
/// With `actionAtItemEnd` `advance`, the default, an item that has played to its end leaves the queue. After
/// the last item `currentItem` is nil and `rate` is kept, so an item inserted then plays at once. An item
/// whose opening fails leaves the queue at once, unless the failure concerns the whole player (`status`).
@preconcurrency @MainActor
open class AVQueuePlayer: AVPlayer {
  /// Creates a player with an empty queue.
  nonisolated public override init() { super.init(core: PlayerCore(isQueuePlayer: true), items: []) }

  /// Creates a player of these items. Stops the program if one occurs twice or is in another player.
  nonisolated public init(items: [AVPlayerItem]) {
    super.init(core: PlayerCore(isQueuePlayer: true), items: items)
  }

  /// Creates a player with an item for the media at `url` in its queue.
  nonisolated public override init(url: URL) {
    super.init(core: PlayerCore(isQueuePlayer: true), items: [AVPlayerItem(url: url)])
  }

  /// Creates a player with `item` in its queue. Stops the program if the item is in another player.
  nonisolated public override init(playerItem item: AVPlayerItem?) {
    super.init(core: PlayerCore(isQueuePlayer: true), items: item.map { [$0] } ?? [])
  }

  /// Creates a player in `environment` instead of `PlaybackEnvironment.current`.
  nonisolated package convenience init(items: [AVPlayerItem], environment: PlaybackEnvironment) {
    self.init(core: PlayerCore(isQueuePlayer: true, environment: environment), items: items)
  }

  // Internal, so that subclasses in other modules need not override it: to inherit convenience initializers,
  // a subclass must override every designated initializer that it can see.
  nonisolated override init(core: PlayerCore, items: [AVPlayerItem]) { super.init(core: core, items: items) }

  /// Returns the queue, the current item first. Takes time in proportion to the length of the queue.
  nonisolated open func items() -> [AVPlayerItem] { core.items }

  /// Removes the current item from the queue and continues with the next one at once.
  nonisolated open func advanceToNextItem() { core.advanceToNextItem() }

  /// Returns whether `item` can be inserted after `afterItem`, or at the end for nil. This requires that
  /// `item` is in no queue and `afterItem` is in this one.
  nonisolated open func canInsert(_ item: AVPlayerItem, after afterItem: AVPlayerItem?) -> Bool {
    core.canInsert(item, after: afterItem)
  }

  /// Inserts `item` after `afterItem`, or at the end for nil. In an empty queue the item becomes current, and plays if
  /// `rate` is not 0. Stops the program if `item` is in a queue already or `afterItem` is not in this one.
  nonisolated open func insert(_ item: AVPlayerItem, after afterItem: AVPlayerItem?) {
    core.insert(item, after: afterItem)
  }

  /// Removes `item` from the queue. Removes the current item as `advanceToNextItem()` does. Has no effect if
  /// the queue does not contain `item`.
  nonisolated open func remove(_ item: AVPlayerItem) { core.remove(item) }

  /// Removes all items from the queue. Sound stops at once.
  nonisolated open func removeAllItems() { core.removeAllItems() }
}
