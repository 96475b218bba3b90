/// Returns −1 if the first time is less than the second, 0 if they are equal, else 1.
///
/// Negative infinity < numbers < indefinite < positive infinity < invalid; times of the same special kind are
/// equal. Numbers are ordered by epoch, then by exact value: 1/2 equals 2/4, and the rounded flag does not
/// count. The order is total on all bit patterns.
public func CMTimeCompare(_ time1: CMTime, _ time2: CMTime) -> Int32 {
  let kind1 = time1.kind
  let kind2 = time2.kind
  guard kind1 == .numeric, kind2 == .numeric else { return order(kind1.rawValue, kind2.rawValue) }
  guard time1.epoch == time2.epoch else { return order(time1.epoch, time2.epoch) }
  if time1.timescale == time2.timescale { return order(time1.value, time2.value) }
  // Each product needs up to 94 bits.
  return order(Int128(time1.value) * Int128(time2.timescale), Int128(time2.value) * Int128(time1.timescale))
}

private func order<T: Comparable>(_ lhs: T, _ rhs: T) -> Int32 { lhs < rhs ? -1 : (lhs == rhs ? 0 : 1) }

/// Returns the lesser of two times by ``CMTimeCompare(_:_:)``; the first if they are equal.
public func CMTimeMinimum(_ time1: CMTime, _ time2: CMTime) -> CMTime {
  CMTimeCompare(time1, time2) <= 0 ? time1 : time2
}

/// Returns the greater of two times by ``CMTimeCompare(_:_:)``; the first if they are equal.
public func CMTimeMaximum(_ time1: CMTime, _ time2: CMTime) -> CMTime {
  CMTimeCompare(time1, time2) >= 0 ? time1 : time2
}

extension CMTime: Comparable, Hashable {
  /// Whether ``CMTimeCompare(_:_:)`` returns 0. Unlike NaN, an invalid time equals every invalid time.
  public static func == (time1: CMTime, time2: CMTime) -> Bool { CMTimeCompare(time1, time2) == 0 }

  /// Whether ``CMTimeCompare(_:_:)`` returns −1.
  public static func < (time1: CMTime, time2: CMTime) -> Bool { CMTimeCompare(time1, time2) < 0 }

  /// Hashes a number's reduced fraction and epoch, or another time's kind, so that equal times have equal
  /// hashes.
  public func hash(into hasher: inout Hasher) {
    let kind = self.kind
    hasher.combine(kind.rawValue)
    guard kind == .numeric else { return }
    // The timescale is positive, so the divisor is at least 1 and at most the timescale.
    let divisor = greatestCommonDivisor(value.magnitude, UInt64(timescale))
    hasher.combine(value / Int64(divisor))
    hasher.combine(UInt64(timescale) / divisor)
    hasher.combine(epoch)
  }
}
