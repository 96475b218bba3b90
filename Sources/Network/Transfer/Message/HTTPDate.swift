import TextFormatting

/// An HTTP date in the current format: `Sun, 06 Nov 1994 08:49:37 GMT`.
package struct HTTPDate: Hashable, Sendable {
  /// Seconds since 1 January 1970, 00:00 UTC.
  package let seconds: Int64

  /// Parses a date; nil also for the two obsolete formats: `If-Range` is then omitted.
  package init?(_ text: String) {
    let parts = text.split(separator: " ")
    guard parts.count == 6, parts[5] == "GMT", let day = Int(parts[1]), (1...31).contains(day),
      let month = Self.months.firstIndex(of: String(parts[2])), let year = Int(parts[3]),
      (1970...9999).contains(year)
    else { return nil }
    let clock = parts[4].split(separator: ":").compactMap { Int64($0) }
    guard clock.count == 3, (0...23).contains(clock[0]), (0...59).contains(clock[1]),
      (0...60).contains(clock[2])
    else { return nil }
    let days = UTCTime.days(year, month + 1, day)
    seconds = Int64(days) * 86_400 + clock[0] * 3600 + clock[1] * 60 + clock[2]
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}
