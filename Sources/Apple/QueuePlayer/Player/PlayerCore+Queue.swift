import AudioCore
import AudioSession
import Clocks
import Foundation
import MediaAssets
import MediaTime
import PlaybackEngine
import Synchronization

// The queue of items, mapped to the engine's item numbers.
extension PlayerCore {
  var currentItem: AVPlayerItem? {
    observations.read(.currentItem) {
      knownCurrent?.item ?? PathEvaluation.current?.missing(AVPlayerItem.placeholder)
    }
  }

  /// The current item: from the mirror if `readsMirror` is true, otherwise from the engine.
  var knownCurrent: (id: ItemID, item: AVPlayerItem)? {
    if readsMirror { return state.withLock { $0.current } }
    return engine.currentItem.flatMap { id in state.withLock { $0.items[id] }.map { (id, $0) } }
  }

  /// Whether item `id` is in the queue. On the main queue, whether `items` contains it.
  func holds(_ id: ItemID) -> Bool {
    let (isKnown, isCurrent) = state.withLock { ($0.items[id] != nil, $0.current?.id == id) }
    guard isKnown, readsMirror else { return isKnown && engine.contains(id) }
    return isCurrent || engine.containsUntilTold(id)
  }

  /// The queue, the current item first. On the main queue, the queue last reported to observers.
  var items: [AVPlayerItem] {
    let mirrors = readsMirror
    let ids = mirrors ? engine.itemsUntilTold : engine.items
    return state.withLock { state in
      let queue = ids.compactMap { state.items[$0] }
      guard mirrors, let current = state.current, current.id != ids.first else { return queue }
      return [current.item] + queue
    }
  }

  func canInsert(_ item: AVPlayerItem, after: AVPlayerItem?) -> Bool {
    item.attachment == nil && (after.map { predecessor($0) != nil } ?? true)
  }

  /// Returns the number of an item after which another one may be inserted. Unlike `number(of:)`, it also knows an item
  /// that has ended or failed, until observers are notified of it.
  private func predecessor(_ item: AVPlayerItem) -> ItemID? {
    if let number = number(of: item) { return number }
    guard let attachment = item.state.withLock({ $0.attachment }), attachment.core === self,
      engine.containsUntilTold(attachment.id)
    else { return nil }
    return attachment.id
  }

  /// Returns an item's number in this queue; nil if the item is not in it (see `holds`).
  private func number(of item: AVPlayerItem) -> ItemID? {
    item.attachment.flatMap { $0.core === self ? $0.id : nil }
  }

  /// Inserts `item` after `after`, or at the end for nil.
  func insert(_ item: AVPlayerItem, after: AVPlayerItem?) {
    checkIsFree(item)
    var previous = after.flatMap(predecessor)
    precondition(
      after == nil || previous != nil, "An AVPlayerItem can only be inserted after one that is in the queue.")
    add(item) { id, source, mix, start in
      while !engine.insert(id, source: source, mix: mix, after: previous, startSeconds: start) {
        // `after` has just ended or failed, which the caller could not know. Insert after the current item
        // instead.
        previous = engine.currentItem
      }
    }
  }

  /// Replaces the current item by `item`; nil empties the queue.
  func replaceCurrentItem(with item: AVPlayerItem?) {
    guard let item else { return removeAllItems() }
    let former = knownCurrent
    if former?.item === item { return }
    leave(former)
    // The handler of the cancelled seek may have replaced the current item.
    let known = knownCurrent
    if known?.item === item { return }
    checkIsFree(item)
    add(item) { id, source, mix, start in
      _ = engine.replaceCurrentItem(id, source: source, mix: mix, startSeconds: start, replacing: known?.id)
    }
  }

  func advanceToNextItem() {
    guard let known = knownCurrent else { return }
    advance(from: known)
  }

  /// Removes the current item `known`. If it has just ended, removes no other.
  func advance(from known: (id: ItemID, item: AVPlayerItem)) {
    leave(known)
    engine.advanceToNextItem(from: known.id)
    deliver()
  }

  func remove(_ item: AVPlayerItem) {
    guard let id = number(of: item) else { return }
    if id == knownCurrent?.id {
      advance(from: (id, item))
    } else {
      engine.remove(id)
      deliver()
    }
    forgetOnMainQueue { $0.forget(id) }
  }

  func removeAllItems() {
    leave(knownCurrent)
    engine.removeAllItems()
    // Items inserted after this call must stay, even if `add` has not passed them to the engine yet.
    let ids = state.withLock { Array($0.items.keys) }
    deliver()
    forgetOnMainQueue { core in for id in ids { core.forget(id) } }
  }

  /// Releases an item that has left the queue, if observers have been notified of its removal. Otherwise the
  /// notification itself releases the item. Main queue.
  func forget(_ id: ItemID) {
    if !engine.contains(id) { release(id) }
  }

  /// Releases an item that is not in the engine, or that another thread is inserting there.
  func release(_ id: ItemID) {
    let item = state.withLock { state in
      state.current?.id == id ? nil : state.items.removeValue(forKey: id)
    }
    guard let item else { return }
    // `add` may have inserted it before it could see the removal.
    if engine.contains(id) { engine.remove(id) }
    item.state.withLock { state in
      if state.attachment?.id == id { state.attachment = nil }
    }
    item.asset.loader.shared?.remove(id)
    engine.forgetDeparture(of: id)
  }

  /// Runs `work` on the main queue: at once if called there, otherwise after the deliveries already pending.
  private func forgetOnMainQueue(_ work: @escaping @Sendable (PlayerCore) -> Void) {
    if environment.isOnMainQueue() {
      work(self)
    } else {
      environment.mainQueue.enqueue { work(self) }
    }
  }

  private func checkIsFree(_ item: AVPlayerItem) {
    guard let attachment = item.attachment else { return }
    precondition(
      attachment.core === self, "An AVPlayerItem cannot be associated with more than one instance of AVPlayer"
    )
    preconditionFailure("An AVPlayerItem can occupy only one position in a player's queue.")
  }

  /// Adds `item` with a new number to the engine's queue, by calling `insertion`, and passes the item's
  /// settings to the engine.
  private func add(
    _ item: AVPlayerItem,
    _ insertion: (_ id: ItemID, _ source: any MediaSource, _ mix: ItemMix, _ startSeconds: Double) -> Void
  ) {
    let id = ItemID.next()
    item.state.withLock { $0.attachment = ItemState.Attachment(core: self, id: id) }
    item.asset.loader.shared?.add(id, of: self)
    let isFirst = state.withLock { state in
      state.items[id] = item
      defer { state.isOutputPrepared = true }
      return !state.isOutputPrepared
    }
    // A player with an item will probably play soon, so the output connects while the file is opened.
    if isFirst { engine.prepareOutput() }
    let (asset, status, mix, start, end) = item.state.withLock {
      ($0.asset, $0.status, $0.mix, $0.startSeconds, $0.forwardPlaybackEndTime)
    }
    insertion(id, status == .failed ? FailedSource() : AssetSource(asset.loader, in: environment), mix, start)
    // Another thread may have removed all items before the engine had this one.
    if state.withLock({ $0.items[id] == nil }) { engine.remove(id) }
    if end.isNumeric { engine.setEnd(end.seconds, of: id) }
    engine.setAlgorithm(item.audioTimePitchAlgorithm.algorithm, of: id)
    // The mix may have changed since it was read above.
    let present = item.state.withLock { $0.mix }
    if present != mix { engine.setMix(present, of: id) }
    if item.readAhead != .usual { engine.setReadAhead(item.readAhead, of: id) }
    deliver()
  }

  /// Prepares the removal of `current`, the current item: saves its position and cancels its seek.
  private func leave(_ current: (id: ItemID, item: AVPlayerItem)?) {
    guard let (id, item) = current else { return }
    item.keepPlace()
    cancelSeek(of: id)
  }
}

extension AVPlayerItem {
  /// The stand-in for the current item in the evaluation of a key path that unwraps `currentItem` while it is
  /// nil.
  nonisolated fileprivate static let placeholder = AVPlayerItem(
    asset: AVURLAsset(url: URL(fileURLWithPath: "/")))
}
