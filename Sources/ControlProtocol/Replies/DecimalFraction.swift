/// Decimal fractions without floating point and without a locale.
enum DecimalFraction {
  /// `value / timescale`: exactly, with the digits of the scale, where `timescale` is a power of ten, else with six
  /// digits, towards zero. A scale below 1 counts as 1.
  static func text(value: Int64, timescale: Int32) -> String {
    let scale = UInt64(max(timescale, 1))
    let magnitude = value.magnitude
    let whole = "\(value < 0 ? "-" : "")\(magnitude / scale)"
    let remainder = magnitude % scale
    guard scale > 1 else { return whole }
    var digits = 0
    var power: UInt64 = 1
    while power < scale {
      power *= 10
      digits += 1
    }
    if power == scale { return whole + "." + padded(remainder, digits) }
    // The remainder is below 2^31, so this stays below 2^51.
    return whole + "." + padded(remainder * 1_000_000 / scale, 6)
  }

  /// Nanoseconds as seconds with six digits after the point, towards zero.
  static func seconds(nanoseconds: UInt64) -> String {
    "\(nanoseconds / 1_000_000_000)." + padded(nanoseconds % 1_000_000_000 / 1000, 6)
  }

  /// Seconds with two digits after the point, to the nearest.
  static func hundredths(seconds: Double) -> String {
    let milliseconds = Milliseconds(seconds: max(0, seconds)).rawValue
    let hundredths = UInt64((milliseconds + 5) / 10)
    return "\(hundredths / 100)." + padded(hundredths % 100, 2)
  }

  private static func padded(_ number: UInt64, _ digits: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
  }
}
