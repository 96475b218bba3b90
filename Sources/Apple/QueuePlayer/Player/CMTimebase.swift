public import MediaTime
import PlaybackEngine
import Synchronization

/// The time of an item as heard, and its rate. Available as `AVPlayerItem.timebase` only; read-only. The
/// reference to the item is weak. Any thread; no call blocks.
public final class CMTimebase: Sendable {
  private weak let item: AVPlayerItem?

  init(item: AVPlayerItem) { self.item = item }

  /// The item's `currentTime()`; invalid once the item was released.
  public var time: CMTime { item?.currentTime() ?? .invalid }

  /// The player's `rate`, in item seconds per second, while the item is current and playing; otherwise 0.
  public var rate: Double {
    guard let (core, id) = item?.attachment, core.knownCurrent?.id == id, core.timeControl == .playing
    else { return 0 }
    return Double(core.rate)
  }
}

/// Returns `CMTimebase.time`.
public func CMTimebaseGetTime(_ timebase: CMTimebase) -> CMTime { timebase.time }

/// Returns `CMTimebase.rate`.
public func CMTimebaseGetRate(_ timebase: CMTimebase) -> Double { timebase.rate }

extension AVPlayerItem {
  /// The item's timebase, valid for the life of the item. Never nil, even before the item is ready.
  nonisolated public var timebase: CMTimebase? {
    state.withLock { state in
      if let timebase = state.timebase { return timebase }
      let timebase = CMTimebase(item: self)
      state.timebase = timebase
      return timebase
    }
  }
}
