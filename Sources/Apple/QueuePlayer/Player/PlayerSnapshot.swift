import AudioCore
public import Foundation
public import MediaTime
import PlaybackEngine
import Synchronization

/// The state of a player: its queue and its position, exact to the frame. `Codable`, so that it can be saved.
public struct PlayerSnapshot: Codable, Hashable, Sendable {
  /// A time as a rational number, like `CMTime`.
  public struct Time: Codable, Hashable, Sendable {
    /// The time in units of 1/`timescale` s.
    public var value: Int64
    /// The number of units per second, above zero.
    public var timescale: Int32

    /// Creates a time of that many units.
    public init(value: Int64, timescale: Int32) {
      self.value = value
      self.timescale = timescale
    }

    /// Creates a time from a `CMTime`; nil unless `time` is numeric.
    public init?(_ time: CMTime) {
      guard time.isNumeric else { return nil }
      self.init(value: time.value, timescale: time.timescale)
    }

    /// The time as a `CMTime`; invalid for a timescale that is not above zero.
    public var time: CMTime { CMTime(value: value, timescale: timescale) }
  }

  /// An item of the queue.
  public struct Item: Codable, Hashable, Sendable {
    /// The URL of the item's media.
    public var url: URL
    /// The position of the item, or its start position.
    public var position: Time
    /// The item's `forwardPlaybackEndTime`; nil for its own end.
    public var end: Time?

    /// Creates an item of a snapshot.
    public init(url: URL, position: Time, end: Time? = nil) {
      self.url = url
      self.position = position
      self.end = end
    }
  }

  /// The items in the order of the queue.
  public var items: [Item]
  /// The index of the current item; items before it have been played. Equals the number of items if none was
  /// current.
  public var currentIndex: Int
  /// The value of `AVPlayer.rate`.
  public var rate: Float
  /// The value of `AVPlayer.volume`.
  public var volume: Float
  /// The value of `AVPlayer.isMuted`.
  public var isMuted: Bool
  /// The raw value of `AVPlayer.actionAtItemEnd`.
  public var actionAtItemEnd: Int

  /// Creates a snapshot of a player.
  public init(
    items: [Item], currentIndex: Int = 0, rate: Float = 0, volume: Float = 1, isMuted: Bool = false,
    actionAtItemEnd: AVPlayer.ActionAtItemEnd = .advance
  ) {
    self.items = items
    self.currentIndex = currentIndex
    self.rate = rate
    self.volume = volume
    self.isMuted = isMuted
    self.actionAtItemEnd = actionAtItemEnd.rawValue
  }

  /// The position of the current item; nil without a current item.
  public var position: Time? { items.indices.contains(currentIndex) ? items[currentIndex].position : nil }
}

extension AVQueuePlayer {
  /// Returns the player's current state. Any thread; takes time in proportion to the length of the queue.
  nonisolated public func snapshot() -> PlayerSnapshot { core.presentSnapshot() }

  /// Creates a player with the queue of `snapshot` from its current item on, at its position, exact to the
  /// frame. The player is paused: set `rate` to the snapshot's to resume playback. Opens no file. An item
  /// whose file no longer exists fails when its turn comes.
  nonisolated public convenience init(snapshot: PlayerSnapshot) {
    self.init(snapshot: snapshot, environment: .current)
  }

  /// Creates a player from `snapshot` in `environment` instead of `PlaybackEnvironment.current`.
  nonisolated package convenience init(snapshot: PlayerSnapshot, environment: PlaybackEnvironment) {
    let items = snapshot.items.dropFirst(max(0, snapshot.currentIndex)).map { item in
      AVPlayerItem(restoring: item, environment: environment)
    }
    self.init(items: items, environment: environment)
    volume = snapshot.volume
    isMuted = snapshot.isMuted
    actionAtItemEnd = ActionAtItemEnd(rawValue: snapshot.actionAtItemEnd) ?? .advance
  }
}

extension AVPlayerItem {
  nonisolated fileprivate convenience init(
    restoring item: PlayerSnapshot.Item, environment: PlaybackEnvironment
  ) {
    self.init(asset: AVURLAsset(url: item.url, environment: environment))
    state.withLock { state in
      state.place = item.position.time
      state.forwardPlaybackEndTime = item.end?.time ?? .invalid
    }
  }
}

extension PlayerCore {
  /// Returns a snapshot of the player; nil once it was released.
  func snapshot() -> PlayerSnapshot? {
    // Released outside the lock: this may be the last reference to the player, whose `deinit` takes the lock.
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
