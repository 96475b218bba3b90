/// The product of a time and a whole number, at the timescale of the time.
///
/// If the value does not fit, the timescale is halved until it does, rounding if it must; past timescale 1
/// the product is infinite. An infinity stays infinite with the sign of both operands, where 0 counts as
/// positive (the header says that the product is infinite and excepts nothing). Indefinite and invalid stay
/// so. The epoch is kept (Apple is silent).
public func CMTimeMultiply(_ time: CMTime, multiplier: Int32) -> CMTime {
  switch time.kind {
  case .invalid: return .invalid
  case .indefinite: return .indefinite
  case .positiveInfinity: return .infinity(negative: multiplier < 0)
  case .negativeInfinity: return .infinity(negative: multiplier >= 0)
  case .numeric: break
  }
  let (value, overflow) = time.value.multipliedReportingOverflow(by: Int64(multiplier))
  if !overflow {
    return CMTime(
      value: value, timescale: time.timescale, flags: CMTime.numericFlags(rounded: time.carriesRounding),
      epoch: time.epoch)
  }
  return .halving(
    numerator: Int128(time.value) * Int128(multiplier), denominator: Int128(time.timescale),
    timescale: time.timescale, wasRounded: time.carriesRounding, epoch: time.epoch)
}

/// The product of a time and a floating-point number.
///
/// The timescale of the time is doubled until it is at least 65 536, then the product is rounded to it,
/// halves away from zero. Overflow is as in ``CMTimeMultiply(_:multiplier:)``. The product is that of the
/// exact value of the `Double`: 10/1 × 0.1 is 65536/65536 with the rounded flag set, because 0.1 is not a
/// `Double`.
///
/// Apple is silent on the rest: NaN makes a number or an infinity invalid; an infinity times a number is
/// infinite, times zero invalid; the epoch is kept.
public func CMTimeMultiplyByFloat64(_ time: CMTime, multiplier: Double) -> CMTime {
  switch time.kind {
  case .invalid: return .invalid
  case .indefinite: return .indefinite
  case .positiveInfinity: return multiplier.isNaN ? .invalid : .infinity(negative: multiplier < 0)
  case .negativeInfinity: return multiplier.isNaN ? .invalid : .infinity(negative: multiplier >= 0)
  case .numeric: break
  }
  let isNegative = (time.value < 0) != (multiplier < 0)
  if multiplier.isNaN { return .invalid }
  if multiplier.isInfinite { return time.value == 0 ? .invalid : .infinity(negative: isNegative) }

  // At most 65535 × 2, so no overflow.
  var timescale = time.timescale
  while timescale < 65_536 { timescale *= 2 }
  guard time.value != 0, multiplier != 0 else {
    return CMTime(
      value: 0, timescale: timescale, flags: CMTime.numericFlags(rounded: time.carriesRounding),
      epoch: time.epoch)
  }

  // |multiplier| = significand × 2^exponent exactly, with a significand of 53 bits. A subnormal is read as if
  // it were normal: either way it is far below what does not round to 0 from the largest of times.
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
        value: Int64(magnitude: magnitude, isNegative: isNegative), timescale: timescale,
        flags: CMTime.numericFlags(rounded: time.carriesRounding || !isExact), epoch: time.epoch)
    }
    guard timescale > 1 else { return .infinity(negative: isNegative) }
    timescale /= 2
  }
}

/// `time × multiplier / divisor`.
///
/// Exact whenever the result is a fraction that fits a time. It keeps the timescale of the time if it can,
/// else takes the least multiple of it that can hold the result, else the least timescale that can. If none
/// can, it is the nearest of all times that exist (the header: "a new timescale will be chosen so as to
/// minimize the rounding error"), and infinite if it does not fit at timescale 1. The epoch is kept (Apple is
/// silent).
///
/// A divisor of 0 gives an infinity of the sign of the rest, or an invalid time if the rest is 0. An infinite
/// time stays the infinity it is, whatever the signs ("similarly infinite"). Indefinite and invalid stay so.
public func CMTimeMultiplyByRatio(_ time: CMTime, multiplier: Int32, divisor: Int32) -> CMTime {
  let kind = time.kind
  if kind == .invalid || (multiplier == 0 && divisor == 0) { return .invalid }
  switch kind {
  case .invalid: return .invalid
  case .indefinite: return .indefinite
  case .positiveInfinity: return .positiveInfinity
  case .negativeInfinity: return .negativeInfinity
  case .numeric: break
  }
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
  /// The number with this magnitude and sign. The magnitude must fit, which for a negative number allows 2⁶³.
  init(magnitude: UInt64, isNegative: Bool) {
    self.init(truncatingIfNeeded: isNegative ? 0 &- magnitude : magnitude)
  }
}
