/// Returns the greatest common divisor, by Euclid's algorithm; of 0 and x, returns x.
func greatestCommonDivisor<T: UnsignedInteger & FixedWidthInteger>(_ lhs: T, _ rhs: T) -> T {
  var (larger, smaller) = (lhs, rhs)
  while smaller != 0 { (larger, smaller) = (smaller, larger % smaller) }
  return larger
}

extension Int128 {
  /// Returns the rounded quotient by a positive divisor. Callers must resolve
  /// ``CMTimeRoundingMethod/quickTime`` to another method first, because it depends on the direction of the
  /// conversion.
  func divided(
    by divisor: Int128, rounding method: CMTimeRoundingMethod
  ) -> (quotient: Int128, isExact: Bool) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    guard remainder != 0 else { return (quotient, true) }
    let awayFromZero: Int128 = self < 0 ? quotient - 1 : quotient + 1
    let rounded =
      switch method {
      case .roundHalfAwayFromZero:
        remainder.magnitude >= divisor.magnitude - remainder.magnitude ? awayFromZero : quotient
      case .roundTowardZero: quotient
      case .roundAwayFromZero, .quickTime: awayFromZero
      case .roundTowardPositiveInfinity: self < 0 ? quotient : awayFromZero
      case .roundTowardNegativeInfinity: self < 0 ? awayFromZero : quotient
      }
    return (rounded, false)
  }
}

extension CMTime {
  /// Returns the time nearest to `numerator / denominator` at `timescale`. If the value does not fit, the
  /// timescale is halved (dropping fractions) until it does, as Apple documents for sums and products. An
  /// infinity if the value does not fit at timescale 1.
  ///
  /// Every candidate is computed from the exact fraction and rounded at most once, halves away from zero.
  ///
  /// - Precondition: `|numerator| ≤ 2⁹⁵` and `denominator > 0`, so that products with a timescale fit 128
  ///   bits.
  static func halving(
    numerator: Int128, denominator: Int128, timescale: CMTimeScale, wasRounded: Bool, epoch: CMTimeEpoch
  ) -> CMTime {
    var timescale = timescale
    while true {
      let (quotient, isExact) = (numerator * Int128(timescale)).divided(
        by: denominator, rounding: .roundHalfAwayFromZero)
      if let value = Int64(exactly: quotient) {
        return CMTime(value, timescale, rounded: wasRounded || !isExact, epoch: epoch)
      }
      guard timescale > 1 else { return .infinity(negative: numerator < 0) }
      timescale /= 2
    }
  }
}

/// Returns `factor1 × factor2 × 2^exponent / divisor`, rounded half away from zero; nil if it is 2⁶⁴ or more.
///
/// The product is held exactly in 256 bits, and bits shifted out are taken into account.
///
/// - Precondition: `factor1` and `factor2` are not 0, and `0 < divisor < 2³¹`.
func roundedProduct(
  _ factor1: UInt128, _ factor2: UInt128, exponent: Int, dividedBy divisor: UInt128
) -> (value: UInt64, isExact: Bool)? {
  let product = factor1.multipliedFullWidth(by: factor2)
  // For rounding half away from zero, twice the result, rounded down, suffices: ⌊x + 1/2⌋ = ⌊(⌊2x⌋ + 1) / 2⌋.
  let shift = exponent + 1
  let doubled: UInt128
  var lostBits = false
  if shift >= 0 {
    // Values from 2¹²⁷ on are rejected, because a divisor below 2³¹ cannot reduce them below 2⁶⁴.
    guard product.high == 0, product.low.leadingZeroBitCount > shift else { return nil }
    doubled = product.low << shift
  } else {
    guard product.high >> -shift == 0 else { return nil }
    // Swift's shifts accept any amount: past 128, `>>` gives 0 and `<<` becomes a right shift.
    doubled = (product.low >> -shift) | (product.high << (128 + shift))
    let trailingZeroes =
      product.low == 0 ? 128 + product.high.trailingZeroBitCount : product.low.trailingZeroBitCount
    lostBits = trailingZeroes < -shift
  }
  let (quotient, remainder) = doubled.quotientAndRemainder(dividingBy: divisor)
  guard let value = UInt64(exactly: (quotient >> 1) + (quotient & 1)) else { return nil }
  return (value, !lostBits && remainder == 0 && quotient & 1 == 0)
}
