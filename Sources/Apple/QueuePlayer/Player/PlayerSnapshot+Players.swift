import AudioCore
public import AudioSession
import Foundation
import MediaAssets
import MediaTime
import PlaybackEngine
import Synchronization

extension PlayerSnapshot {
  /// Creates a snapshot from its values.
  public init(
    items: [Item], currentIndex: Int = 0, rate: Float = 0, volume: Float = 1, isMuted: Bool = false,
    actionAtItemEnd: AVPlayer.ActionAtItemEnd = .advance
  ) {
    self.init(
      items: items, currentIndex: currentIndex, rate: rate, volume: volume, isMuted: isMuted,
      actionAtItemEnd: actionAtItemEnd.rawValue)
  }
}

extension AVQueuePlayer {
  /// Returns the player's current state. Any thread; takes time in proportion to the length of the queue.
  nonisolated public func snapshot() -> PlayerSnapshot { core.presentSnapshot() }

  /// Creates a paused player with the queue of `snapshot` from the snapshot's current item on, at the saved
  /// position, exact to the frame. Volume, muting and `actionAtItemEnd` are restored; to resume, set `rate` to the
  /// snapshot's rate. Does not wait for a file; an item whose file is missing fails when the player opens the item.
  nonisolated public convenience init(snapshot: PlayerSnapshot) {
    self.init(snapshot: snapshot, environment: .current)
  }

  /// Creates a player from `snapshot` in `environment` instead of `PlaybackEnvironment.current`.
  nonisolated package convenience init(snapshot: PlayerSnapshot, environment: PlaybackEnvironment) {
    let items = snapshot.items.dropFirst(max(0, snapshot.currentIndex)).map { saved in
      let item = AVPlayerItem(asset: AVURLAsset(url: saved.url, environment: environment))
      item.state.withLock { state in
        state.place = saved.position.time
        state.forwardPlaybackEndTime = saved.end?.time ?? .invalid
      }
      return item
    }
    self.init(items: items, environment: environment)
    volume = snapshot.volume
    isMuted = snapshot.isMuted
    actionAtItemEnd = ActionAtItemEnd(rawValue: snapshot.actionAtItemEnd) ?? .advance
  }
}

extension PlayerCore {
  /// Returns a snapshot of the player; nil once it was released.
  func snapshot() -> PlayerSnapshot? {
    // Released outside the lock, because this may be the last reference to the player, whose `deinit` takes
    // the lock.
    let player = state.withLock { $0.player }
    return withExtendedLifetime(player) { player == nil ? nil : presentSnapshot() }
  }

  /// Returns a snapshot of the engine's current state.
  func presentSnapshot() -> PlayerSnapshot {
    let ids = engine.items
    let items = state.withLock { state in ids.compactMap { state.items[$0] } }
    return PlayerSnapshot(
      items: items.map { item in
        PlayerSnapshot.Item(
          url: item.asset.loader.url,
          position: PlayerSnapshot.Time(item.place) ?? .init(value: 0, timescale: 1),
          end: PlayerSnapshot.Time(item.forwardPlaybackEndTime))
      },
      rate: engine.rate, volume: engine.volume, isMuted: engine.isMuted,
      actionAtItemEnd: AVPlayer.ActionAtItemEnd(engine.actionAtItemEnd))
  }
}
