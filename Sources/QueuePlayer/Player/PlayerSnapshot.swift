import AudioCore
public import Foundation
public import MediaTime
import PlaybackEngine
import Synchronization

/// The state of a player: its queue and its position, exact to the frame. `Codable`, so that it can be saved.
public struct PlayerSnapshot: Codable, Hashable, Sendable {
  /// A time as a rational number, like `CMTime`.
  public struct Time: Codable, Hashable, Sendable {
    /// In units of 1/`timescale` s.
    public var value: Int64
    /// Units per second, above zero.
    public var timescale: Int32

    /// A time of that many units.
    public init(value: Int64, timescale: Int32) {
      self.value = value
      self.timescale = timescale
    }

    /// `time`; nil unless it is a number.
    public init?(_ time: CMTime) {
      guard time.isNumeric else { return nil }
      self.init(value: time.value, timescale: time.timescale)
    }

    /// The same as a `CMTime`; invalid for a timescale that is not above zero.
    public var time: CMTime { CMTime(value: value, timescale: timescale) }
  }

  /// An item of the queue.
  public struct Item: Codable, Hashable, Sendable {
    /// Its media.
    public var url: URL
    /// Where it stood, or is to start.
    public var position: Time
    /// Its `forwardPlaybackEndTime`; nil for its own end.
    public var end: Time?

    /// An item with these properties.
    public init(url: URL, position: Time, end: Time? = nil) {
      self.url = url
      self.position = position
      self.end = end
    }
  }

  /// The queue in order.
  public var items: [Item]
  /// The item that was current; what is before it has been played. As many as there are items if there was
  /// none.
  public var currentIndex: Int
  /// `AVPlayer.rate`.
  public var rate: Float
  /// `AVPlayer.volume`.
  public var volume: Float
  /// `AVPlayer.isMuted`.
  public var isMuted: Bool
  /// `AVPlayer.actionAtItemEnd`, its raw value.
  public var actionAtItemEnd: Int

  /// A player with these properties.
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

  /// Where the current item stood; nil if there was none.
  public var position: Time? { items.indices.contains(currentIndex) ? items[currentIndex].position : nil }
}

extension AVQueuePlayer {
  /// The player's present state. Any thread; takes time in proportion to the length of the queue.
  nonisolated public func snapshot() -> PlayerSnapshot { core.presentSnapshot() }

  /// A player with the queue of `snapshot` from its current item on, which starts where it stood, exactly to
  /// the frame. It is paused: set `rate` to the snapshot's to go on. Opens nothing; an item whose file is
  /// gone fails by itself when its turn comes.
  nonisolated public convenience init(snapshot: PlayerSnapshot) {
    self.init(snapshot: snapshot, environment: .current)
  }

  /// The same in an environment of its own, whatever `PlaybackEnvironment.current` is.
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
  /// What the player is now; nil once it is gone.
  func snapshot() -> PlayerSnapshot? {
    // Released outside the lock: by now this may be the last reference to the player, whose `deinit` takes the lock.
    let player = state.withLock { $0.player }
    return withExtendedLifetime(player) { player == nil ? nil : presentSnapshot() }
  }

  /// What the player is now, as the engine knows it.
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
