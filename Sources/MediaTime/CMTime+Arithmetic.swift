/// The sum of two times.
///
/// Operands of one timescale keep it; otherwise the timescale is their least common multiple, and the sum is
/// exact. If that multiple is above ``kCMTimeMaxTimescale`` the sum is rounded to that timescale; if the
/// value does not fit, the timescale is halved until it does, and past timescale 1 the sum is infinite. The
/// rounded flag tells, also of the operands.
///
/// Invalid with anything is invalid. One infinity wins, also over indefinite; opposite infinities are
/// invalid. Otherwise indefinite wins over numbers. Numbers of different epochs other than 0 are invalid; of
/// one epoch give epoch 0; if one epoch is 0, the sum has the other (the header lets durations be added to
/// times of other epochs and leaves the epoch of the sum to be inferred).
public func CMTimeAdd(_ lhs: CMTime, _ rhs: CMTime) -> CMTime {
  combine(lhs, rhs, subtracting: false)
}

/// The difference of two times. The rules are those of ``CMTimeAdd(_:_:)``; equal infinities are invalid
/// here.
public func CMTimeSubtract(_ lhs: CMTime, _ rhs: CMTime) -> CMTime {
  combine(lhs, rhs, subtracting: true)
}

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
    if !overflow {
      return CMTime(
        value: value, timescale: lhs.timescale, flags: CMTime.numericFlags(rounded: wasRounded), epoch: epoch)
    }
  }

  // Both timescales are positive and below 2³¹, so their multiple fits 62 bits and each term below 94.
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

/// The sum of two kinds of which at least one is not a number.
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
  /// The kind of the time with its sign inverted.
  fileprivate var negated: CMTime.Kind {
    switch self {
    case .positiveInfinity: .negativeInfinity
    case .negativeInfinity: .positiveInfinity
    case .numeric, .indefinite, .invalid: self
    }
  }
}

extension CMTime {
  /// ``CMTimeAdd(_:_:)``.
  public static func + (addend1: CMTime, addend2: CMTime) -> CMTime {
    CMTimeAdd(addend1, addend2)
  }

  /// ``CMTimeSubtract(_:_:)``.
  public static func - (minuend: CMTime, subtrahend: CMTime) -> CMTime {
    CMTimeSubtract(minuend, subtrahend)
  }
}

/// The time with its sign inverted if it is negative, and unmodified if not.
///
/// The value −2⁶³ has no positive counterpart: the timescale is halved as in ``CMTimeAdd(_:_:)``. Apple does
/// not say.
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
