public import MediaTime
import PlaybackEngine
import Synchronization

/// An item's time as a listener hears it, and how fast it moves. Made by `AVPlayerItem.timebase` only; it can be read
/// and not set. It does not keep its item. Any thread; nothing blocks.
public final class CMTimebase: Sendable {
  private struct Item {
    weak let value: AVPlayerItem?
  }

  private let item: Item

  init(item: AVPlayerItem) { self.item = Item(value: item) }

  /// The item's `currentTime()`; invalid once the item was released.
  public var time: CMTime { item.value?.currentTime() ?? .invalid }

  /// Seconds of the item in a second: the player's `rate` while the item is current and sound flows, otherwise 0.
  public var rate: Double {
    guard let (core, id) = item.value?.attachment, core.knownCurrent?.id == id, core.timeControl == .playing
    else { return 0 }
    return Double(core.rate)
  }
}

/// `CMTimebase.time`.
public func CMTimebaseGetTime(_ timebase: CMTimebase) -> CMTime { timebase.time }

/// `CMTimebase.rate`.
public func CMTimebaseGetRate(_ timebase: CMTimebase) -> Double { timebase.rate }

extension AVPlayerItem {
  /// The item's time and how fast it moves, for as long as the item lives; never nil, also before it is ready.
  nonisolated public var timebase: CMTimebase? {
    state.withLock { state in
      if let timebase = state.timebase { return timebase }
      let timebase = CMTimebase(item: self)
      state.timebase = timebase
      return timebase
    }
  }
}
