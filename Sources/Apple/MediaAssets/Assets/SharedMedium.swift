package import AudioCore
package import AudioSession
import Synchronization
package import Transfer

/// A player that is notified of the events of its items' media.
package protocol MediumListener: AnyObject, Sendable {
  /// Reports an event of the medium of item `id`. Any thread; events from one thread arrive in order.
  func tell(_ note: TransferNote, of id: ItemID)
}

/// The medium of a remote asset.
///
/// The source is created at its first use, and shared by all users. These are items while they are in a queue,
/// and the asset's loader while it reads. So no data are fetched twice at the same time.
package final class SharedMedium: Sendable {
  /// A player to notify of the medium's events, and its queued item that plays the medium.
  private struct Listener {
    weak var player: (any MediumListener)?
    let id: ItemID
  }

  private struct State {
    weak var source: (any MediaSource & AnyObject)?
    /// The number of sources created so far.
    var made = 0
    var listeners: [Listener] = []
  }

  package let asset: RemoteAsset
  private let state = Mutex(State())

  init(_ asset: RemoteAsset) { self.asset = asset }

  /// Returns the medium's source, created by `make` if none exists.
  func source(
    _ make: (RemoteAsset, _ onNote: @escaping @Sendable (TransferNote) -> Void) -> any MediaSource & AnyObject
  ) -> any MediaSource {
    while true {
      let (source, made) = state.withLock { ($0.source, $0.made) }
      if let source { return source }
      let new = make(asset) { [weak self] in self?.take($0) }
      let isFirst = state.withLock { state in
        guard state.made == made else { return false }
        state.made += 1
        state.source = new
        return true
      }
      if isFirst { return new }
    }
  }

  /// Adds item `id` of `player` as a listener. Events are reported only to the first listener whose player
  /// still exists.
  package func add(_ id: ItemID, of player: any MediumListener) {
    let listener = Listener(player: player, id: id)
    state.withLock { $0.listeners.append(listener) }
  }

  package func remove(_ id: ItemID) {
    // Checked outside the lock, because the check retains the player, and this may be the last reference to
    // it.
    let gone = Set(state.withLock { $0.listeners }.filter { $0.player == nil }.map(\.id))
    state.withLock { state in state.listeners.removeAll { $0.id == id || gone.contains($0.id) } }
  }

  private func take(_ note: TransferNote) {
    for listener in state.withLock({ $0.listeners }) {
      guard let player = listener.player else { continue }
      return player.tell(note, of: listener.id)
    }
  }
}
