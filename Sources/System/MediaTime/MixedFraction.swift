/// An exact rational number, `±(whole + remainder / denominator)`. The fraction is separate from the whole
/// part, because the numerator of a scaled duration needs up to 157 bits, but its denominator never more than
/// 125.
struct MixedFraction {
  var whole: UInt128
  /// The numerator of the fractional part; less than the denominator.
  var remainder: UInt128
  /// The denominator of the fractional part; not 0.
  var denominator: UInt128
  /// Whether the number is negative; ignored for 0.
  var isNegative: Bool

  /// Whether the magnitude, rounded half away from zero, is at most `limit`, which is below 2¹²⁸ − 1.
  func rounds(within limit: UInt128) -> Bool {
    guard whole <= limit else { return false }
    return remainder < denominator - remainder || whole + 1 <= limit
  }
}

extension CMTime {
  /// Returns the time equal to a fraction, or the nearest representable one. Among the timescales that
  /// represent the fraction exactly, the result has the least multiple of `timescale`, or else the least
  /// timescale. An infinity if whole seconds do not fit.
  static func nearest(
    to fraction: MixedFraction, preferring timescale: CMTimeScale, wasRounded: Bool, epoch: CMTimeEpoch
  ) -> CMTime {
    let limit = UInt128(fraction.isNegative ? Int64.min.magnitude : Int64.max.magnitude)
    guard fraction.rounds(within: limit) else { return .infinity(negative: fraction.isNegative) }

    if let exact = fraction.exact(preferring: UInt128(timescale), limit: limit) {
      return CMTime(
        Int64(magnitude: UInt64(exact.value), isNegative: fraction.isNegative), CMTimeScale(exact.timescale),
        rounded: wasRounded, epoch: epoch)
    }
    let best = fraction.bestApproximation(
      numeratorLimit: limit, denominatorLimit: UInt128(kCMTimeMaxTimescale))
    return CMTime(
      Int64(magnitude: UInt64(best.numerator), isNegative: fraction.isNegative),
      CMTimeScale(best.denominator), rounded: true, epoch: epoch)
  }
}

extension MixedFraction {
  /// Returns the magnitude as value and timescale, exactly and within their limits; nil if none exists. The
  /// whole part must not exceed `limit`.
  func exact(preferring preferred: UInt128, limit: UInt128) -> (value: UInt128, timescale: UInt128)? {
    let maximum = UInt128(kCMTimeMaxTimescale)
    let divisor = greatestCommonDivisor(denominator, remainder)
    let least = denominator / divisor
    // With a whole part up to 2⁶³ and timescales below 2³¹, all products below fit 94 bits.
    guard least <= maximum else { return nil }
    let value = whole * least + remainder / divisor
    guard value <= limit else { return nil }
    let factor = preferred / greatestCommonDivisor(preferred, least)
    if least * factor <= maximum, value * factor <= limit {
      return (value * factor, least * factor)
    }
    return (value, least)
  }

  /// Returns the fraction nearest to the magnitude with numerator and denominator within the limits.
  ///
  /// The algorithm follows the continued fraction while its convergents stay within the limits. The last
  /// convergent and the last semiconvergent within the limits are neighbours in the Stern–Brocot tree, one on
  /// each side of the number. Every fraction between them has a numerator and a denominator no smaller than
  /// the sums of theirs, which exceed a limit. Therefore the nearer of the two is the best approximation.
  ///
  /// The whole part must not exceed `numeratorLimit`. Both limits must be at least 1.
  func bestApproximation(
    numeratorLimit: UInt128, denominatorLimit: UInt128
  ) -> (numerator: UInt128, denominator: UInt128) {
    // The two latest convergents h/k, from 1/0 and whole/1, with their errors |x·k − h| in 1/denominator.
    var older = (h: UInt128(1), k: UInt128(0), error: denominator)
    var newer = (h: whole, k: UInt128(1), error: remainder)
    while newer.error != 0 {
      let (steps, error) = older.error.quotientAndRemainder(dividingBy: newer.error)
      var allowed = (denominatorLimit - older.k) / newer.k
      if newer.h != 0 { allowed = min(allowed, (numeratorLimit - older.h) / newer.h) }
      guard steps <= allowed else {
        let semi = (
          h: older.h + allowed * newer.h, k: older.k + allowed * newer.k,
          error: older.error - allowed * newer.error
        )
        // The distance is error/k; on a tie the larger fraction wins, which is away from zero. If the
        // semiconvergent is still 1/0, the second product is 0 and the convergent wins.
        let semiDistance = semi.error.multipliedFullWidth(by: newer.k)
        let newerDistance = newer.error.multipliedFullWidth(by: semi.k)
        let semiWins =
          semiDistance == newerDistance ? semi.h * newer.k > newer.h * semi.k : semiDistance < newerDistance
        return semiWins ? (semi.h, semi.k) : (newer.h, newer.k)
      }
      (older, newer) = (newer, (older.h + steps * newer.h, older.k + steps * newer.k, error))
    }
    return (newer.h, newer.k)
  }
}
