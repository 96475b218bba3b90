/// Returns the sum of two times.
///
/// Operands with equal timescales keep that timescale; otherwise the timescale is their least common
/// multiple, and the sum is exact. If that multiple exceeds ``kCMTimeMaxTimescale``, the sum is rounded to
/// that timescale. If the value does not fit, the timescale is halved until it does; past timescale 1 the sum
/// is infinite. The rounded flag is set if the sum or an operand was rounded.
///
/// Any operation with an invalid time is invalid. An infinity wins over indefinite and numbers; opposite
/// infinities are invalid. Indefinite wins over numbers. Numbers of different epochs other than 0 are invalid. If one
/// epoch is 0, the sum has the other; two equal epochs give epoch 0. (The header permits adding durations to
/// times of other epochs and leaves the epoch of the sum to be inferred.)
public func CMTimeAdd(_ lhs: CMTime, _ rhs: CMTime) -> CMTime { combine(lhs, rhs, subtracting: false) }

/// Returns the difference of two times, by the rules of ``CMTimeAdd(_:_:)``. The difference of equal
/// infinities is invalid.
public func CMTimeSubtract(_ lhs: CMTime, _ rhs: CMTime) -> CMTime { combine(lhs, rhs, subtracting: true) }

private func combine(_ lhs: CMTime, _ rhs: CMTime, subtracting: Bool) -> CMTime {
  let leftKind = lhs.kind
  let rightKind = rhs.kind
  guard leftKind == .numeric, rightKind == .numeric else {
    return combineNonNumeric(leftKind, subtracting ? rightKind.negated : rightKind)
  }

  let epoch: CMTimeEpoch
  if lhs.epoch == rhs.epoch {
    epoch = 0
  } else if lhs.epoch == 0 || rhs.epoch == 0 {
    epoch = lhs.epoch == 0 ? rhs.epoch : lhs.epoch
  } else {
    return .invalid
  }
  let wasRounded = lhs.carriesRounding || rhs.carriesRounding

  if lhs.timescale == rhs.timescale {
    let (value, overflow) =
      subtracting
      ? lhs.value.subtractingReportingOverflow(rhs.value) : lhs.value.addingReportingOverflow(rhs.value)
    if !overflow { return CMTime(value, lhs.timescale, rounded: wasRounded, epoch: epoch) }
  }

  // Both timescales are positive and below 2³¹, so their multiple fits 62 bits and each term fits 94.
  let leftScale = Int64(lhs.timescale)
  let rightScale = Int64(rhs.timescale)
  let divisor = Int64(greatestCommonDivisor(leftScale.magnitude, rightScale.magnitude))
  let leftFactor = rightScale / divisor
  let rightFactor = leftScale / divisor
  let multiple = leftScale * leftFactor
  let left = Int128(lhs.value) * Int128(leftFactor)
  let right = Int128(rhs.value) * Int128(rightFactor)
  return .halving(
    numerator: subtracting ? left - right : left + right, denominator: Int128(multiple),
    timescale: CMTimeScale(clamping: multiple), wasRounded: wasRounded, epoch: epoch)
}

private func combineNonNumeric(_ lhs: CMTime.Kind, _ rhs: CMTime.Kind) -> CMTime {
  if lhs == .invalid || rhs == .invalid { return .invalid }
  let hasPositive = lhs == .positiveInfinity || rhs == .positiveInfinity
  let hasNegative = lhs == .negativeInfinity || rhs == .negativeInfinity
  switch (hasPositive, hasNegative) {
  case (true, true): return .invalid
  case (true, false): return .positiveInfinity
  case (false, true): return .negativeInfinity
  case (false, false): return .indefinite
  }
}

extension CMTime.Kind {
  fileprivate var negated: CMTime.Kind {
    switch self {
    case .positiveInfinity: .negativeInfinity
    case .negativeInfinity: .positiveInfinity
    case .numeric, .indefinite, .invalid: self
    }
  }
}

extension CMTime {
  /// Returns ``CMTimeAdd(_:_:)`` of both operands.
  public static func + (addend1: CMTime, addend2: CMTime) -> CMTime { CMTimeAdd(addend1, addend2) }

  /// Returns ``CMTimeSubtract(_:_:)`` of both operands.
  public static func - (minuend: CMTime, subtrahend: CMTime) -> CMTime { CMTimeSubtract(minuend, subtrahend) }
}

/// Returns the time with its sign inverted if it is negative, else unmodified.
///
/// The value −2⁶³ has no positive counterpart, so the timescale is halved as in ``CMTimeAdd(_:_:)``
/// (undocumented).
public func CMTimeAbsoluteValue(_ time: CMTime) -> CMTime {
  switch time.kind {
  case .negativeInfinity: return .positiveInfinity
  case .positiveInfinity, .indefinite, .invalid: return time
  case .numeric: break
  }
  guard time.value < 0 else { return time }
  if time.value != .min {
    return CMTime(value: -time.value, timescale: time.timescale, flags: time.flags, epoch: time.epoch)
  }
  return .halving(
    numerator: -Int128(time.value), denominator: Int128(time.timescale), timescale: time.timescale,
    wasRounded: time.carriesRounding, epoch: time.epoch)
}

extension CMTime {
  /// Returns the time at another timescale, rounded if necessary; see
  /// ``CMTimeConvertScale(_:timescale:method:)``.
  public func convertScale(_ newTimescale: Int32, method: CMTimeRoundingMethod) -> CMTime {
    CMTimeConvertScale(self, timescale: newTimescale, method: method)
  }
}

/// Returns the time at another timescale. Keeps the epoch; sets the rounded flag if the value was rounded.
///
/// Infinite, indefinite and invalid times keep their kind. Not documented by Apple: a timescale that is not
/// positive makes a number invalid; a value that does not fit gives an infinity, not another timescale.
public func CMTimeConvertScale(
  _ time: CMTime, timescale newTimescale: Int32, method: CMTimeRoundingMethod
) -> CMTime {
  guard time.kind == .numeric else { return time.canonical }
  guard newTimescale > 0 else { return .invalid }
  guard newTimescale != time.timescale else { return time }

  var effectiveMethod = method
  if method == .quickTime {
    effectiveMethod = newTimescale < time.timescale ? .roundTowardZero : .roundAwayFromZero
  }
  var (quotient, isExact) = (Int128(time.value) * Int128(newTimescale)).divided(
    by: Int128(time.timescale), rounding: effectiveMethod)
  if method == .quickTime, quotient == 0, time.value < 0 { quotient = -1 }
  guard let value = Int64(exactly: quotient) else { return .infinity(negative: quotient < 0) }
  return CMTime(value, newTimescale, rounded: time.carriesRounding || !isExact, epoch: time.epoch)
}
