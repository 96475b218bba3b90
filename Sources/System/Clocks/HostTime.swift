/// A time on the host's monotonic clock, in nanoseconds since the clock's origin. The origin is the system's start
/// for the real clock, and the creation of a virtual clock.
public struct HostTime: Hashable, Comparable, Sendable {
  /// Nanoseconds since the clock's origin.
  public var nanoseconds: Int64

  /// Creates the time `nanoseconds` after the clock's origin.
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// The latest representable time; used for "never".
  public static let distantFuture = HostTime(nanoseconds: .max)

  /// Seconds since the clock's origin.
  public var seconds: Double { Double(nanoseconds) / 1e9 }

  /// The seconds since the clock's origin, with three decimals: `12.340`. Truncated, not rounded, so that an event never
  /// appears later than it was. For times not before the origin.
  package var inSeconds: String {
    let milliseconds = nanoseconds / 1_000_000
    // Adding 1000 keeps the leading zeros of the milliseconds.
    return "\(milliseconds / 1000).\(String(1000 + milliseconds % 1000).dropFirst())"
  }

  /// Whether `lhs` is earlier than `rhs`.
  public static func < (lhs: HostTime, rhs: HostTime) -> Bool { lhs.nanoseconds < rhs.nanoseconds }

  /// Returns the time `seconds` later (or earlier). Saturates at the ends of the range; NaN counts as 0.
  public func advanced(bySeconds seconds: Double) -> HostTime {
    let delta = seconds * 1e9
    guard delta == delta else { return self }
    if delta >= 9.2e18 { return .distantFuture }
    if delta <= -9.2e18 { return HostTime(nanoseconds: .min) }
    return advanced(byNanoseconds: Int64(delta.rounded()))
  }

  /// Returns the time `delta` nanoseconds later (or earlier). Saturates at the ends of the range.
  package func advanced(byNanoseconds delta: Int64) -> HostTime {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(delta)
    return HostTime(nanoseconds: overflow ? (delta > 0 ? .max : .min) : sum)
  }

  /// Returns the seconds from `other` to `self`: accurate to the nanosecond for differences up to 100 days,
  /// however large the times are.
  public func seconds(since other: HostTime) -> Double {
    let (difference, overflow) = nanoseconds.subtractingReportingOverflow(other.nanoseconds)
    return overflow ? seconds - other.seconds : Double(difference) / 1e9
  }
}
