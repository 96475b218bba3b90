import HostTime
public import MediaTime

/// A clock. There is one, the host's: it counts from the system's start, in nanoseconds, and does not stop while the
/// application is suspended. Any thread; nothing blocks.
public final class CMClock: Sendable {
  private let clock: any HostClock

  private init(_ clock: any HostClock) { self.clock = clock }

  /// The clock of `PlaybackEnvironment.current`: in virtual time that one's.
  public static var hostTimeClock: CMClock { CMClock(PlaybackEnvironment.current.clock) }

  /// The present time.
  public var time: CMTime { CMTime(value: clock.now.nanoseconds, timescale: HostTime.timescale) }
}

/// `CMClock.hostTimeClock`.
public func CMClockGetHostTimeClock() -> CMClock { CMClock.hostTimeClock }

/// `CMClock.time`.
public func CMClockGetTime(_ clock: CMClock) -> CMTime { clock.time }

extension HostTime {
  fileprivate static let timescale: CMTimeScale = 1_000_000_000

  /// The moment of a time of the host's clock, which must be a number.
  init(_ time: CMTime) {
    self.init(
      nanoseconds: time.convertScale(Self.timescale, method: .roundHalfAwayFromZero).value)
  }
}
