import Continuo
import Foundation

/// Hands the files to the player a few at a time, so that a queue of 100 000 costs no more than one of 30, and knows
/// which item is which file.
@MainActor
final class QueueFeeder {
  /// Items in the player at most. The engine decodes 1.5 s ahead: enough even for items of a twentieth of a second.
  private static let window = 32

  let files: [MediaPath]
  private let player: AVQueuePlayer
  private var next: Int
  private var indexes: [ObjectIdentifier: Int] = [:]
  /// The items that may still be told of, in the order of their indexes.
  private var handedOver: [(item: AVPlayerItem, index: Int, observation: NSKeyValueObservation)] = []
  private var isTopUpDue = false
  /// Called with a file's index when its item failed.
  var onFailure: ((_ index: Int, _ error: (any Error)?) -> Void)?

  /// Hands over nothing yet; the file at `index` will be the first.
  init(files: [MediaPath], startingAt index: Int = 0, player: AVQueuePlayer) {
    self.files = files
    next = index
    self.player = player
  }

  /// Whether every file was handed over.
  var isExhausted: Bool { next >= files.count }

  /// Which file the first of the last `count` items is that were handed over.
  func index(ofLast count: Int) -> Int { next - count }

  /// Which file an item is.
  func index(of item: AVPlayerItem?) -> Int? { item.flatMap { indexes[ObjectIdentifier($0)] } }

  /// Hands over files until the player has enough, and forgets the items before the current one.
  ///
  /// Not those that are no longer in the player: it may be far ahead of what it has told (a file is written as fast
  /// as it goes), and what it tells of an item comes before the next one is current.
  func topUp() {
    isTopUpDue = false
    if let current = index(of: player.currentItem) { forget(before: current) }
    let count = player.items().count
    for _ in count..<max(count, Self.window) where !isExhausted {
      // Counted first: a short item may be over, and the queue with it, before the call returns.
      let index = next
      next += 1
      player.insert(makeItem(index), after: nil)
    }
  }

  /// `topUp`, but not before the main queue gets to it. For callbacks of the player: it delivers what has happened
  /// before it takes an item in, and so its callbacks would be called inside of each other.
  func topUpSoon() {
    guard !isTopUpDue else { return }
    isTopUpDue = true
    DispatchQueue.main.async { [weak self] in MainActor.assumeIsolated { self?.topUp() } }
  }

  /// Goes to another file: that one plays at once, what follows it follows. False if there is no such file.
  func jump(to index: Int) -> Bool {
    guard files.indices.contains(index) else { return false }
    for item in player.items().dropFirst() { player.remove(item) }
    forget(before: .max)
    next = index + 1
    player.replaceCurrentItem(with: makeItem(index))
    topUp()
    return true
  }

  private func makeItem(_ index: Int) -> AVPlayerItem {
    let item = AVPlayerItem(url: files[index].url)
    let identifier = ObjectIdentifier(item)
    indexes[identifier] = index
    let observation = item.observe(\.status) { [weak self] item, _ in
      MainActor.assumeIsolated {
        guard item.status == .failed else { return }
        self?.onFailure?(index, item.error)
      }
    }
    handedOver.append((item, index, observation))
    return item
  }

  private func forget(before index: Int) {
    let past = handedOver.prefix { $0.index < index }
    for entry in past { indexes[ObjectIdentifier(entry.item)] = nil }
    handedOver.removeFirst(past.count)
  }
}
