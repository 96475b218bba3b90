import Glibc

/// A moment in the calendar, in Coordinated Universal Time.
package struct UTCTime: Hashable, Sendable {
  /// As in the calendar: months and days are counted from 1.
  package let year, month, day, hour, minute, second: Int

  /// The moment so many seconds after the beginning of 1970. What is before that or after 9999 is moved to the bound.
  package init(secondsSince1970: Int64) {
    // The latest is the end of the year 9999.
    var seconds = time_t(min(max(secondsSince1970, 0), 253_402_300_799))
    var parts = tm()
    gmtime_r(&seconds, &parts)
    (year, month, day) = (Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday))
    (hour, minute, second) = (Int(parts.tm_hour), Int(parts.tm_min), Int(parts.tm_sec))
  }
}
