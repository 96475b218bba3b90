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
/// positive gives an invalid time; a value that does not fit gives an infinity, not another timescale.
public func CMTimeConvertScale(
  _ time: CMTime, timescale newTimescale: Int32, method: CMTimeRoundingMethod
) -> CMTime {
  switch time.kind {
  case .invalid: return .invalid
  case .indefinite: return .indefinite
  case .positiveInfinity: return .positiveInfinity
  case .negativeInfinity: return .negativeInfinity
  case .numeric: break
  }
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
  return CMTime(
    value: value, timescale: newTimescale,
    flags: CMTime.numericFlags(rounded: time.carriesRounding || !isExact), epoch: time.epoch)
}
