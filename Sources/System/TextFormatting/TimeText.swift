import Glibc

package enum TimeText {
  /// Parses `12`, `12.34`, `1:02` or `1:02:03.5`: seconds, after optional hours and minutes with colons.
  /// Numbers after a colon must be below 60. The fraction has at most nine digits, so no time is rounded.
  /// Returns nil for anything else, and for a first number of more than nine digits, which is longer than any
  /// medium.
  package static func parse(_ text: some StringProtocol) -> Duration? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (1...3).contains(parts.count), let last = parts.last else { return nil }
    let point = last.firstIndex(of: ".") ?? last.endIndex
    var seconds: Int64 = 0
    for (index, part) in (parts.dropLast() + [last[..<point]]).enumerated() {
      guard let number = digits(part), index == 0 || number < 60 else { return nil }
      seconds = seconds * 60 + number
    }
    guard point < last.endIndex else { return .seconds(seconds) }
    let fraction = last[last.index(after: point)...]
    guard var nanoseconds = digits(fraction) else { return nil }
    for _ in fraction.utf8.count..<9 { nanoseconds *= 10 }
    return .seconds(seconds) + .nanoseconds(nanoseconds)
  }

  /// Returns the value of one to nine ASCII digits; nil for anything else.
  private static func digits(_ text: some StringProtocol) -> Int64? {
    let isNumber = (1...9).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    return isNumber ? Int64(text) : nil
  }
}

extension Duration {
  /// The duration in seconds. Up to 97 days the error is below a nanosecond.
  package var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) * 1e-18
  }
}

package enum ElapsedTime {
  /// Returns `value / timescale` seconds as `12.34`, `1:02.34` or `1:01:02.34`. The time is rounded towards
  /// zero to 1/100 s, because unheard sound has not elapsed. Negative times begin with `-`; a timescale below
  /// 1 gives `--`.
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

  /// Returns a duration in the same format, rounded to 1/100 s towards zero.
  package static func text(_ time: Duration) -> String {
    let (seconds, attoseconds) = time.components
    return text(value: seconds * 100 + attoseconds / 10_000_000_000_000_000, timescale: 100)
  }
}

package struct UTCTime: Hashable, Sendable {
  /// The calendar components. Months and days count from 1.
  package let year, month, day, hour, minute, second: Int

  /// Creates the time `secondsSince1970` seconds after the beginning of 1970, clamped to the years 1970…9999.
  package init(secondsSince1970: Int64) {
    // The last second of the year 9999.
    var seconds = time_t(min(max(secondsSince1970, 0), 253_402_300_799))
    var parts = tm()
    gmtime_r(&seconds, &parts)
    (year, month, day) = (Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday))
    (hour, minute, second) = (Int(parts.tm_hour), Int(parts.tm_min), Int(parts.tm_sec))
  }

  /// Returns the number of days from the beginning of 1970 to a date of the Gregorian calendar, year 0 or
  /// later. A day after the month's end counts into the next month.
  package static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    // Years that begin in March have the leap day at their end. Another 400 years keep the numbers positive.
    let (year, month) = month > 2 ? (year + 400, month - 3) : (year + 399, month + 9)
    return year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day - 1 - 865_565
  }
}
