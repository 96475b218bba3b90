/// Decimal fractions without floating point and without a locale.
package enum DecimalFraction {
  /// Returns `value / timescale` in decimal. If `timescale` is a power of ten, the result is exact, with a
  /// digit for each zero. Otherwise it has six digits, rounded towards zero. A scale below 1 counts as 1.
  package static func text(value: Int64, timescale: Int32) -> String {
    var bytes: [UInt8] = []
    bytes.append(upTo: 32) { $0.append(value: value, timescale: timescale) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns nanoseconds as seconds with six digits after the point, rounded towards zero.
  package static func seconds(nanoseconds: UInt64) -> String {
    var bytes: [UInt8] = []
    bytes.append(upTo: 32) { $0.append(secondsOf: nanoseconds) }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension BinaryInteger {
  /// Returns a non-negative number in decimal, padded with leading zeros to at least `count` digits.
  package func digits(_ count: Int) -> String {
    let text = String(self)
    return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
  }
}

package enum ByteCountText {
  /// Returns a number of bytes as text: `950 B`, `1.5 kB`, `12.3 MB`, `4.0 GB`. Units are steps of 1,000;
  /// rounded down.
  package static func text(_ count: Int64) -> String {
    guard count >= 1_000 else { return "\(count) B" }
    let (unit, name): (Int64, String) =
      count < 1_000_000 ? (1_000, "kB") : count < 1_000_000_000 ? (1_000_000, "MB") : (1_000_000_000, "GB")
    return "\(count / unit).\(count / (unit / 10) % 10) \(name)"
  }
}
