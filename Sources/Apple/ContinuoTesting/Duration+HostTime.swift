import HostTime

extension HostTime {
  /// Creates the time at `duration` after a clock's start, clamped to the range of nanoseconds.
  init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, carry) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    self.init(nanoseconds: overflow || carry ? (seconds < 0 ? .min : .max) : sum)
  }

  /// Returns the time later by `duration`, clamped to the range of nanoseconds.
  func advanced(by duration: Duration) -> HostTime {
    let delta = HostTime(duration).nanoseconds
    let (sum, overflow) = nanoseconds.addingReportingOverflow(delta)
    return HostTime(nanoseconds: overflow ? (delta < 0 ? .min : .max) : sum)
  }
}

extension Duration {
  /// Creates the duration from a clock's start to `moment`.
  init(_ moment: HostTime) { self = .nanoseconds(moment.nanoseconds) }
}
