import HostTime

/// Where playback was at one moment and how it goes on from there: enough to say where it is at any other.
struct PlaybackLine: Hashable, Sendable {
  /// Seconds from the item's beginning.
  var position = 0.0
  /// When playback was there.
  var moment = HostTime(nanoseconds: 0)
  /// Seconds of the item in a second; 0 while nothing plays.
  var rate = 0.0
  /// The item's end in seconds, if it is known.
  var duration: Double?

  /// The place at a moment, in seconds: never negative, and never behind the end.
  func position(at now: HostTime) -> Double {
    let place = position + rate * now.seconds(since: moment)
    return max(0, min(place, duration ?? .infinity))
  }
}
