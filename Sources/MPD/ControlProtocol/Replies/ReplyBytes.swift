internal import TextFormatting

/// Methods that write numbers and text directly into a reply. A `status` has ten numbers; creating a string
/// for each would take longer than the rest of the command.
extension [UInt8] {
  mutating func append(utf8 text: String) {
    var text = text
    text.withUTF8 { append(contentsOf: $0) }
  }

  mutating func append(decimal number: Int64) {
    if number < 0 { append(Byte.minus) }
    append(digits: number.magnitude, minimum: 1)
  }

  /// Appends seconds with three digits after the point.
  mutating func append(decimal time: Milliseconds) {
    let magnitude = time.rawValue.magnitude
    if time.rawValue < 0 { append(Byte.minus) }
    append(digits: magnitude / 1000, minimum: 1)
    append(Byte.point)
    append(digits: magnitude % 1000, minimum: 3)
  }

  /// Appends a number with leading zeros to at least `minimum` digits.
  mutating func append(digits number: UInt64, minimum: Int) {
    // The largest `UInt64` has 20 digits.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var start = digits.count
      var rest = number
      while rest > 0 || start > digits.count - minimum {
        start -= 1
        digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      }
      append(contentsOf: digits[start...])
    }
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
