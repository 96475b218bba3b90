internal import TextFormatting

/// Methods that write times directly into a reply.
extension [UInt8] {
  /// Appends seconds with three digits after the point.
  mutating func append(decimal time: Milliseconds) {
    let magnitude = time.rawValue.magnitude
    if time.rawValue < 0 { append(Byte.minus) }
    append(digits: magnitude / 1000, minimum: 1)
    append(Byte.point)
    append(digits: magnitude % 1000, minimum: 3)
  }

  /// Appends a date, `2026-11-21T02:23:56Z`. Dates before 1970 or after 9999 are clamped.
  mutating func append(utc secondsSince1970: Int64) {
    let time = UTCTime(secondsSince1970: secondsSince1970)
    func add(_ number: Int, before mark: Unicode.Scalar) {
      append(digits: UInt64(number), minimum: 2)
      append(UInt8(ascii: mark))
    }
    add(time.year, before: "-")
    add(time.month, before: "-")
    add(time.day, before: "T")
    add(time.hour, before: ":")
    add(time.minute, before: ":")
    add(time.second, before: "Z")
  }
}
