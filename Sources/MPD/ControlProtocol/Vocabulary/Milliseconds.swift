internal import TextFormatting

/// A time or duration with the protocol's precision of a millisecond.
package struct Milliseconds: RawRepresentable, Hashable, Comparable, Sendable {
  /// The maximum magnitude, 2^53 milliseconds. A client's 64-bit floating-point numbers cannot represent every
  /// integer above it.
  package static let limit: Int64 = 1 << 53

  /// The number of milliseconds, within ±`limit`.
  package let rawValue: Int64

  /// Creates a time from milliseconds, clamped to ±`limit`.
  package init(rawValue: Int64) { self.rawValue = min(max(rawValue, -Self.limit), Self.limit) }

  /// Creates a time from seconds, rounded to milliseconds and clamped to ±`limit`. NaN becomes 0.
  package init(seconds: Double) {
    let scaled = seconds * 1000
    if scaled.isNaN {
      self.init(rawValue: 0)
    } else {
      let clamped = min(max(scaled, -Double(Self.limit)), Double(Self.limit))
      // Without `rounded()`, which would require the C math library. The clamped value cannot overflow.
      self.init(rawValue: Int64(clamped < 0 ? clamped - 0.5 : clamped + 0.5))
    }
  }

  package var seconds: Double { Double(rawValue) / 1000 }

  package static func < (left: Milliseconds, right: Milliseconds) -> Bool { left.rawValue < right.rawValue }

  /// The time in whole seconds, rounded half up, as in mpd's `time` and `Time`; 0 for negative times.
  package var roundedSeconds: Int64 { max(0, (rawValue + 500) / 1000) }
}

extension Milliseconds: CustomStringConvertible {
  /// The time in seconds with three digits after the point, as in mpd's `elapsed` and `duration`.
  package var description: String { DecimalFraction.text(value: rawValue, timescale: 1000) }
}
