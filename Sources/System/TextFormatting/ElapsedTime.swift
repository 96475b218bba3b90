package enum ElapsedTime {
  /// Writes `value / timescale` seconds as `12.34`, `1:02.34` or `1:01:02.34`. The time is rounded down to
  /// 1/100 s: unheard sound has not elapsed. Negative times begin with `-`; a timescale below 1 gives `--`.
  package static func text(value: Int64, timescale: Int32) -> String {
    guard timescale > 0 else { return "--" }
    // Whole seconds and the remainder are separate, so that no product exceeds 64 bits.
    let magnitude = value.magnitude
    let scale = UInt64(timescale)
    let seconds = magnitude / scale
    let hundredths = magnitude % scale * 100 / scale
    let (minutes, hours) = (seconds / 60, seconds / 3600)
    let sign = value < 0 ? "-" : ""
    let fraction = hundredths.digits(2)
    if minutes == 0 { return "\(sign)\(seconds).\(fraction)" }
    if hours == 0 { return "\(sign)\(minutes):\((seconds % 60).digits(2)).\(fraction)" }
    return "\(sign)\(hours):\((minutes % 60).digits(2)):\((seconds % 60).digits(2)).\(fraction)"
  }

  /// Writes a duration in the same format, rounded to 1/100 s towards zero.
  package static func text(_ time: Duration) -> String {
    let (seconds, attoseconds) = time.components
    return text(value: seconds * 100 + attoseconds / 10_000_000_000_000_000, timescale: 100)
  }
}
