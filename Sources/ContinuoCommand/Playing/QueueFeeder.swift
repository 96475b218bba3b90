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
  private var next = 0
  private var indexes: [ObjectIdentifier: Int] = [:]
  private var observations: [ObjectIdentifier: NSKeyValueObservation] = [:]
  /// Called with a file's index when its item failed.
  var onFailure: ((_ index: Int, _ error: (any Error)?) -> Void)?

  init(files: [MediaPath], player: AVQueuePlayer) {
    self.files = files
    self.player = player
  }

  /// Whether every file was handed over.
  var isExhausted: Bool { next >= files.count }

  /// Which file an item is.
  func index(of item: AVPlayerItem?) -> Int? { item.flatMap { indexes[ObjectIdentifier($0)] } }

  /// Hands over files until the player has enough, and forgets items that left it.
  func topUp() {
    let items = player.items()
    let present = Set(items.map { ObjectIdentifier($0) })
    for identifier in indexes.keys where !present.contains(identifier) {
      indexes[identifier] = nil
      observations[identifier] = nil
    }
    for _ in items.count..<max(items.count, Self.window) where !isExhausted {
      player.insert(makeItem(next), after: nil)
      next += 1
    }
  }

  /// Goes to another file: that one plays at once, what follows it follows. False if there is no such file.
  func jump(to index: Int) -> Bool {
    guard files.indices.contains(index) else { return false }
    for item in player.items().dropFirst() { player.remove(item) }
    next = index + 1
    player.replaceCurrentItem(with: makeItem(index))
    topUp()
    return true
  }

  private func makeItem(_ index: Int) -> AVPlayerItem {
    let item = AVPlayerItem(url: files[index].url)
    let identifier = ObjectIdentifier(item)
    indexes[identifier] = index
    observations[identifier] = item.observe(\.status) { [weak self] item, _ in
      MainActor.assumeIsolated {
        guard item.status == .failed else { return }
        self?.onFailure?(index, item.error)
      }
    }
    return item
  }
}
