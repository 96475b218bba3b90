/// Dates in replies, without Foundation.
enum CalendarText {
  /// The latest second that is written, the end of the year 9999.
  private static let last: Int64 = 253_402_300_799
  private static let secondsPerDay: Int64 = 86_400

  /// `2026-11-21T02:23:56Z`. What is before 1970 or after 9999 is moved to the bound.
  static func appendUTC(secondsSince1970: Int64, to bytes: inout [UInt8]) {
    let seconds = min(max(secondsSince1970, 0), last)
    let (year, month, day) = date(daysSince1970: seconds / secondsPerDay)
    let time = seconds % secondsPerDay
    append(year / 100, year % 100, to: &bytes)
    bytes.append(Byte.minus)
    append(month, to: &bytes)
    bytes.append(Byte.minus)
    append(day, to: &bytes)
    bytes.append(UInt8(ascii: "T"))
    append(time / 3600, to: &bytes)
    bytes.append(Byte.colon)
    append(time / 60 % 60, to: &bytes)
    bytes.append(Byte.colon)
    append(time % 60, to: &bytes)
    bytes.append(UInt8(ascii: "Z"))
  }

  /// The Gregorian date, counted in years that begin in March, so that the odd day comes last.
  private static func date(daysSince1970: Int64) -> (year: Int64, month: Int64, day: Int64) {
    // Days since 1 March of the year 0.
    let days = daysSince1970 + 719_468
    let era = days / 146_097
    let dayOfEra = days % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
  }

  /// Two digits of each.
  private static func append(_ numbers: Int64..., to bytes: inout [UInt8]) {
    for number in numbers { DecimalDigits.append(UInt64(number), width: 2, to: &bytes) }
  }
}
