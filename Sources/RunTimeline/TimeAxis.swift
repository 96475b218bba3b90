internal import TextFormatting

/// Which moments of a run get a number, and how that reads.
struct TimeAxis: Hashable, Sendable {
  /// The first and the last moment, in seconds; at least `shortest` apart.
  let start: Double
  let end: Double
  /// Seconds from one tick to the next.
  let step: Double

  /// An axis is never shorter than that, in seconds: a run of no length has a picture too.
  static let shortest = 1.0
  /// At most that many intervals: more would not leave room for their numbers.
  private static let mostIntervals = 15.0
  private static let steps = [
    0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400,
  ]

  init(from start: Double, to end: Double) {
    self.start = start
    self.end = max(end, start + Self.shortest)
    let length = self.end - start
    // Days upon days: whole multiples of a day.
    step =
      Self.steps.first { length / $0 <= Self.mostIntervals }
      ?? (length / Self.mostIntervals / 86400).rounded(.up) * 86400
  }

  /// The moments with a number, in order.
  var ticks: [Double] {
    let first = Int((start / step).rounded(.up))
    let last = Int((end / step).rounded(.down))
    return first <= last ? (first...last).map { Double($0) * step } : []
  }

  /// What the numbers are.
  var unit: String { end < 120 ? "seconds" : end < 3600 ? "min:s" : "h:min:s" }

  /// The number at a tick.
  func label(_ time: Double) -> String {
    if end < 120 { return SVGText.decimal(time, places: 1).replacingMinus }
    let seconds = Int(time.magnitude)
    let sign = time < 0 ? "\u{2212}" : ""
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
    if end < 3600 { return "\(sign)\(minutes):\((seconds % 60).digits(2))" }
    return "\(sign)\(hours):\(minutes.digits(2)):\((seconds % 60).digits(2))"
  }
}

extension String {
  /// With a minus sign in place of the hyphen.
  fileprivate var replacingMinus: String { hasPrefix("-") ? "\u{2212}" + dropFirst() : self }
}
