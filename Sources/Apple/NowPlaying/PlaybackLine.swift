import HostTime

/// A playback position at one moment and its rate from then on, from which the position at any time follows.
struct PlaybackLine: Hashable, Sendable {
  /// The position at `moment`, in seconds from the beginning of the item.
  var position = 0.0
  /// The time of `position`.
  var moment = HostTime(nanoseconds: 0)
  /// The playback rate; 0 while paused.
  var rate = 0.0
  /// The duration of the item in seconds; nil if unknown.
  var duration: Double?

  /// Returns the position at the given time, in seconds: never negative, and never after the end.
  func position(at now: HostTime) -> Double {
    let place = position + rate * now.seconds(since: moment)
    return max(0, min(place, duration ?? .infinity))
  }
}
