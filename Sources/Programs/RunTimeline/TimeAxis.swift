internal import TextFormatting

/// The time axis of a drawing: its ticks and their labels.
struct TimeAxis {
  /// The first and the last time, in seconds; at least `shortest` apart.
  let start: Double
  let end: Double
  /// The interval between ticks, in seconds.
  let step: Double

  /// The minimum length of an axis, in seconds, so that a run without duration can be drawn.
  static let shortest = 1.0
  /// The maximum number of intervals: the labels of more would not fit.
  private static let mostIntervals = 15.0
  private static let steps = [
    0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400,
  ]

  init(from start: Double, to end: Double) {
    self.start = start
    self.end = max(end, start + Self.shortest)
    let length = self.end - start
    // Beyond the largest step of a day, the step is a multiple of a day (86400 s).
    step =
      Self.steps.first { length / $0 <= Self.mostIntervals }
      ?? (length / Self.mostIntervals / 86400).rounded(.up) * 86400
  }

  /// The times of the ticks in seconds, in order.
  var ticks: [Double] {
    let first = Int((start / step).rounded(.up))
    let last = Int((end / step).rounded(.down))
    return first <= last ? (first...last).map { Double($0) * step } : []
  }

  /// The unit of the labels.
  var unit: String { end < 120 ? "seconds" : end < 3600 ? "min:s" : "h:min:s" }

  /// Returns the label of a tick. Negative times have a minus sign (U+2212).
  func label(_ time: Double) -> String {
    let sign = time < 0 ? "\u{2212}" : ""
    if end < 120 { return sign + SVGText.decimal(time.magnitude, places: 1) }
    let seconds = Int(time.magnitude)
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
    if end < 3600 { return "\(sign)\(minutes):\((seconds % 60).digits(2))" }
    return "\(sign)\(hours):\(minutes.digits(2)):\((seconds % 60).digits(2))"
  }
}
