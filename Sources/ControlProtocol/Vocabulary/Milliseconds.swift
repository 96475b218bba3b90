internal import TextFormatting

/// A time or a duration as the protocol writes it: to a millisecond.
package struct Milliseconds: RawRepresentable, Hashable, Comparable, Sendable {
  /// The largest magnitude, 2^53: beyond it a client's floating point could not keep the milliseconds apart.
  package static let limit: Int64 = 1 << 53

  /// The milliseconds, within ±`limit`.
  package let rawValue: Int64

  /// Takes milliseconds; beyond ±`limit` they are clamped.
  package init(rawValue: Int64) {
    self.rawValue = min(max(rawValue, -Self.limit), Self.limit)
  }

  /// The nearest millisecond. What is beyond ±`limit` is clamped; not a number counts as 0.
  package init(seconds: Double) {
    let scaled = seconds * 1000
    if scaled.isNaN {
      self.init(rawValue: 0)
    } else {
      let clamped = min(max(scaled, -Double(Self.limit)), Double(Self.limit))
      // Not `rounded()`, which would want the C library's mathematics. Within the clamp nothing overflows.
      self.init(rawValue: Int64(clamped < 0 ? clamped - 0.5 : clamped + 0.5))
    }
  }

  /// In seconds.
  package var seconds: Double { Double(rawValue) / 1000 }

  /// Earlier or shorter.
  package static func < (left: Milliseconds, right: Milliseconds) -> Bool {
    left.rawValue < right.rawValue
  }

  /// The nearest whole second, halves up, as mpd's `time` and `Time` have it; 0 for negative times.
  package var roundedSeconds: Int64 {
    max(0, (rawValue + 500) / 1000)
  }
}

extension Milliseconds: CustomStringConvertible {
  /// Seconds with three digits after the point, as mpd's `elapsed` and `duration`.
  package var description: String { DecimalFraction.text(value: rawValue, timescale: 1000) }
}
