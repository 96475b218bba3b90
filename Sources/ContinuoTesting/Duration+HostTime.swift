import HostTime

extension HostTime {
  /// The moment `duration` after a clock's start; at the ends of the range for what cannot be told in nanoseconds.
  init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, carry) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    self.init(nanoseconds: overflow || carry ? (seconds < 0 ? .min : .max) : sum)
  }

  /// The moment that much later; at the ends of the range for what lies beyond.
  func advanced(by duration: Duration) -> HostTime {
    let delta = HostTime(duration).nanoseconds
    let (sum, overflow) = nanoseconds.addingReportingOverflow(delta)
    return HostTime(nanoseconds: overflow ? (delta < 0 ? .min : .max) : sum)
  }
}

extension Duration {
  /// The time from a clock's start to `moment`.
  init(_ moment: HostTime) { self = .nanoseconds(moment.nanoseconds) }
}
