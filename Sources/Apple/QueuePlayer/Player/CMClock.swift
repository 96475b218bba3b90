import AudioSession
import Clocks
public import Dispatch
public import MediaTime
import PlaybackEngine
import Synchronization

/// A clock. The only clock is the host clock, which counts nanoseconds since the system's start, without the machine's
/// sleep. The host clock continues while the application is suspended. Any thread; no call blocks.
public final class CMClock: Sendable {
  private let clock: any HostClock

  private init(_ clock: any HostClock) { self.clock = clock }

  /// The clock of `PlaybackEnvironment.current`, which may be virtual.
  public static var hostTimeClock: CMClock { CMClock(PlaybackEnvironment.current.clock) }

  /// The current time, in nanoseconds.
  public var time: CMTime { CMTime(value: clock.now.nanoseconds, timescale: HostTime.timescale) }
}

/// Returns `CMClock.hostTimeClock`.
public func CMClockGetHostTimeClock() -> CMClock { CMClock.hostTimeClock }

/// Returns `CMClock.time`.
public func CMClockGetTime(_ clock: CMClock) -> CMTime { clock.time }

extension HostTime {
  fileprivate static let timescale: CMTimeScale = 1_000_000_000

  /// Creates a host time from a time of the host clock, which must be numeric.
  init(_ time: CMTime) {
    self.init(nanoseconds: time.convertScale(Self.timescale, method: .roundHalfAwayFromZero).value)
  }
}

/// The time of an item as heard, and its rate. Available as `AVPlayerItem.timebase` only; read-only. The
/// reference to the item is weak. Any thread; no call blocks.
public final class CMTimebase: Sendable {
  private weak let item: AVPlayerItem?

  init(item: AVPlayerItem) { self.item = item }

  /// The item's `currentTime()`; invalid once the item has been released.
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
      state.timebase = state.timebase ?? CMTimebase(item: self)
      return state.timebase
    }
  }
}

// Declarations of Apple's Dispatch that Linux lacks.

/// The number of nanoseconds in a second.
public let NSEC_PER_SEC: UInt64 = 1_000_000_000
/// The number of nanoseconds in a millisecond.
public let NSEC_PER_MSEC: UInt64 = 1_000_000
/// The number of nanoseconds in a microsecond.
public let NSEC_PER_USEC: UInt64 = 1_000
/// The number of microseconds in a second.
public let USEC_PER_SEC: UInt64 = 1_000_000

/// A dispatch queue, under the name in Apple's declarations, for example of
/// `addPeriodicTimeObserver(forInterval:queue:using:)`.
public typealias dispatch_queue_t = DispatchQueue
