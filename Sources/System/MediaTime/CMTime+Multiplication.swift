/// Returns the product of a time and a whole number, at the timescale of the time.
///
/// If the value does not fit, the timescale is halved until it does, rounding if necessary; past timescale 1
/// the product is infinite. An infinity stays infinite with the combined sign, where 0 counts as positive
/// (the header says that the product is infinite, without exception). Indefinite and invalid times keep their
/// kind. The epoch is kept (not documented by Apple).
public func CMTimeMultiply(_ time: CMTime, multiplier: Int32) -> CMTime {
  guard time.kind == .numeric else { return multiplier < 0 ? .zero - time : time.canonical }
  let (value, overflow) = time.value.multipliedReportingOverflow(by: Int64(multiplier))
  if !overflow {
    return CMTime(value, time.timescale, rounded: time.carriesRounding, epoch: time.epoch)
  }
  return .halving(
    numerator: Int128(time.value) * Int128(multiplier), denominator: Int128(time.timescale),
    timescale: time.timescale, wasRounded: time.carriesRounding, epoch: time.epoch)
}

/// Returns the product of a time and a floating-point number.
///
/// The timescale of the time is doubled until it is at least 65 536, then the product is rounded to it,
/// halves away from zero. Overflow is handled as in ``CMTimeMultiply(_:multiplier:)``. The exact value of the
/// `Double` is used: 10/1 × 0.1 is 65536/65536 with the rounded flag set, because 0.1 is not a `Double`.
///
/// Not documented by Apple: NaN makes a number or an infinity invalid. An infinite multiplier makes a number
/// infinite, or invalid if it is zero. An infinite time stays infinite, as in
/// ``CMTimeMultiply(_:multiplier:)``. The epoch is kept.
public func CMTimeMultiplyByFloat64(_ time: CMTime, multiplier: Double) -> CMTime {
  guard time.kind == .numeric else {
    if multiplier.isNaN, time.kind != .indefinite { return .invalid }
    return multiplier < 0 ? .zero - time : time.canonical
  }
  let isNegative = (time.value < 0) != (multiplier < 0)
  if multiplier.isNaN { return .invalid }
  if multiplier.isInfinite { return time.value == 0 ? .invalid : .infinity(negative: isNegative) }

  // The result is at most 65535 × 2, so the loop cannot overflow.
  var timescale = time.timescale
  while timescale < 65_536 { timescale *= 2 }
  guard time.value != 0, multiplier != 0 else {
    return CMTime(0, timescale, rounded: time.carriesRounding, epoch: time.epoch)
  }

  // Exactly |multiplier| = significand × 2^exponent, with a significand of 53 bits. Reading a subnormal as
  // normal is harmless, because its product rounds to 0 even with the largest time.
  let significand = multiplier.significandBitPattern | 1 << 52
  let exponent = Int(multiplier.exponentBitPattern) - 1075
  let factor = UInt128(time.value.magnitude) * UInt128(significand)
  let limit = isNegative ? Int64.min.magnitude : Int64.max.magnitude
  while true {
    if let (magnitude, isExact) = roundedProduct(
      factor, UInt128(timescale), exponent: exponent, dividedBy: UInt128(time.timescale)),
      magnitude <= limit
    {
      return CMTime(
        Int64(magnitude: magnitude, isNegative: isNegative), timescale,
        rounded: time.carriesRounding || !isExact, epoch: time.epoch)
    }
    guard timescale > 1 else { return .infinity(negative: isNegative) }
    timescale /= 2
  }
}

/// Returns `time × multiplier / divisor`.
///
/// The result is exact if any time can represent the fraction: at the time's timescale if possible, else at
/// its least suitable multiple, else at the least suitable timescale. Otherwise the result is the nearest
/// representable time (the header: "a new timescale will be chosen so as to minimize the rounding error"). It
/// is infinite if the value does not fit at timescale 1. The epoch is kept (not documented by Apple).
///
/// The ratio 0/0 makes every time invalid. Any other divisor of 0 gives an infinity with the sign of the
/// remaining product, or an invalid time if the time is 0. An infinite time keeps its sign, whatever the
/// signs of the other operands ("similarly infinite"). Indefinite and invalid times keep their kind.
public func CMTimeMultiplyByRatio(_ time: CMTime, multiplier: Int32, divisor: Int32) -> CMTime {
  if multiplier == 0, divisor == 0 { return .invalid }
  guard time.kind == .numeric else { return time.canonical }
  let isNegative = ((time.value < 0) != (multiplier < 0)) != (divisor < 0)
  guard divisor != 0 else { return time.value == 0 ? .invalid : .infinity(negative: isNegative) }
  let denominator = UInt128(time.timescale) * UInt128(divisor.magnitude)
  let (whole, remainder) = (UInt128(time.value.magnitude) * UInt128(multiplier.magnitude))
    .quotientAndRemainder(dividingBy: denominator)
  return .nearest(
    to: MixedFraction(
      whole: whole, remainder: remainder, denominator: denominator, isNegative: isNegative),
    preferring: time.timescale, wasRounded: time.carriesRounding, epoch: time.epoch)
}

extension Int64 {
  /// Creates the number with this magnitude, which must fit (up to 2⁶³ for a negative number), and sign.
  init(magnitude: UInt64, isNegative: Bool) {
    self.init(truncatingIfNeeded: isNegative ? 0 &- magnitude : magnitude)
  }
}
