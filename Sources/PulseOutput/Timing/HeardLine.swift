import HostTime

/// A heard position that moves evenly: `position` at `time`, `rate` frames in a second of host time.
struct HeardLine: Hashable, Sendable {
  var position: Double
  var time: HostTime
  var rate: Double

  /// The position at `moment`.
  func position(at moment: HostTime) -> Double { position + moment.seconds(since: time) * rate }

  /// When the line reaches `place`.
  func time(ofPosition place: Double) -> HostTime { time.advanced(bySeconds: (place - position) / rate) }
}
