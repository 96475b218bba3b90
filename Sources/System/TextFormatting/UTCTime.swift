import Glibc

/// A date and time of day in Coordinated Universal Time.
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
}
