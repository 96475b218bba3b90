public import Foundation
public import MediaTime

/// The state of a player: its queue, the position of each item, exact to the frame, and its settings. `Codable`, so that
/// snapshots can be saved.
public struct PlayerSnapshot: Codable, Hashable, Sendable {
  /// A time as a rational number, like `CMTime`.
  public struct Time: Codable, Hashable, Sendable {
    /// The time in units of 1/`timescale` s.
    public var value: Int64
    /// The number of units per second, above zero.
    public var timescale: Int32

    /// Creates a time of `value` units of 1/`timescale` s.
    public init(value: Int64, timescale: Int32) {
      self.value = value
      self.timescale = timescale
    }

    /// Creates a time from a `CMTime`; nil unless `time` is numeric.
    public init?(_ time: CMTime) {
      guard time.isNumeric else { return nil }
      self.init(value: time.value, timescale: time.timescale)
    }

    /// The time as a `CMTime`, whose operations treat a timescale that is not above zero as invalid.
    public var time: CMTime { CMTime(value: value, timescale: timescale) }
  }

  /// An item of the queue.
  public struct Item: Codable, Hashable, Sendable {
    /// The URL of the item's media.
    public var url: URL
    /// The position at which playback of the item starts or continues.
    public var position: Time
    /// The item's `forwardPlaybackEndTime`; nil if the item plays to its own end.
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
  /// The index of the current item; the number of items if none is current. In a snapshot of a player the index is 0,
  /// because the queue begins with the current item. A player made from a snapshot omits earlier items.
  public var currentIndex: Int
  /// The value of `AVPlayer.rate`.
  public var rate: Float
  /// The value of `AVPlayer.volume`.
  public var volume: Float
  /// The value of `AVPlayer.isMuted`.
  public var isMuted: Bool
  /// The raw value of `AVPlayer.actionAtItemEnd`.
  public var actionAtItemEnd: Int

  package init(
    items: [Item], currentIndex: Int, rate: Float, volume: Float, isMuted: Bool, actionAtItemEnd: Int
  ) {
    self.items = items
    self.currentIndex = currentIndex
    self.rate = rate
    self.volume = volume
    self.isMuted = isMuted
    self.actionAtItemEnd = actionAtItemEnd
  }

  /// The position of the current item; nil without a current item.
  public var position: Time? { items.indices.contains(currentIndex) ? items[currentIndex].position : nil }
}
