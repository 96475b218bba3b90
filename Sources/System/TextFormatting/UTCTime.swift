import Glibc

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
    // Years that begin in March have the leap day at their end.
    // Another 400 years keep the numbers positive.
    let (year, month) = month > 2 ? (year + 400, month - 3) : (year + 399, month + 9)
    return year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day - 1 - 865_565
  }
}
