/// The time in the range that is nearest to a time: the time itself, unmodified, or else the start or the end
/// of the range.
///
/// The end is taken for a time past it although the range does not contain it. Invalid if the time is, or if
/// the range is invalid or empty. An indefinite time stays so (Apple is silent).
public func CMTimeClampToRange(_ time: CMTime, range: CMTimeRange) -> CMTime {
  guard time.kind != .invalid, range.isValid, !range.isEmpty else { return .invalid }
  guard time.kind != .indefinite else { return .indefinite }
  let end = range.end
  guard end.kind != .invalid, range.start.kind != .invalid else { return .invalid }
  if time < range.start { return range.start }
  return time > end ? end : time
}

/// Where a time comes to lie when one range is laid over another: `(t − from.start) × (to.duration /
/// from.duration) + to.start`.
///
/// Offset, scaling and start are each exact where a time can be. If both durations are infinite the time is
/// only moved. Invalid if either range is invalid or empty, if the time is not in the epoch of
/// `fromRange.start`, or (Apple is silent) if just one duration is infinite. An indefinite duration gives an
/// indefinite time.
public func CMTimeMapTimeFromRangeToRange(
  _ t: CMTime, fromRange: CMTimeRange, toRange: CMTimeRange
) -> CMTime {
  guard fromRange.isValid, toRange.isValid, !fromRange.isEmpty, !toRange.isEmpty else { return .invalid }
  if t.kind == .numeric, fromRange.start.kind == .numeric, t.epoch != fromRange.start.epoch {
    return .invalid
  }
  return scale(t - fromRange.start, from: fromRange.duration, to: toRange.duration) + toRange.start
}

/// A duration scaled as one range is to another: `dur × (to.duration / from.duration)`.
///
/// Exact where a time can be, and else the nearest that can. If both durations are infinite it is unchanged.
/// Invalid if the epoch of the duration is not 0, if either range is invalid, if `fromRange` is empty, or if
/// just one duration is infinite.
public func CMTimeMapDurationFromRangeToRange(
  _ dur: CMTime, fromRange: CMTimeRange, toRange: CMTimeRange
) -> CMTime {
  guard fromRange.isValid, toRange.isValid, !fromRange.isEmpty else { return .invalid }
  if dur.kind == .numeric, dur.epoch != 0 { return .invalid }
  return scale(dur, from: fromRange.duration, to: toRange.duration)
}

/// `offset × to / from`, with durations of valid ranges, `from` not zero. The rounded flags of all three are
/// passed on.
private func scale(_ offset: CMTime, from: CMTime, to: CMTime) -> CMTime {
  if offset.kind == .invalid { return .invalid }
  switch (from.kind, to.kind) {
  case (.invalid, _), (_, .invalid): return .invalid
  case (.indefinite, _), (_, .indefinite): return .indefinite
  case (.positiveInfinity, .positiveInfinity): return offset
  case (.numeric, .numeric): break
  default: return .invalid
  }
  guard from.value > 0 else { return .invalid }
  guard offset.kind == .numeric else { return to.value == 0 ? .invalid : offset }

  // Above the line up to 64 + 63 + 31 bits, below it up to 31 + 31 + 63.
  let denominator = UInt128(offset.timescale) * UInt128(to.timescale) * UInt128(from.value)
  let numerator = (UInt128(offset.value.magnitude) * UInt128(to.value))
    .multipliedFullWidth(by: UInt128(from.timescale))
  // The quotient needs more than 128 bits: far past what a time can hold.
  guard numerator.high < denominator else { return .infinity(negative: offset.value < 0) }
  let (whole, remainder) = denominator.dividingFullWidth(numerator)
  return .nearest(
    to: MixedFraction(
      whole: whole, remainder: remainder, denominator: denominator, isNegative: offset.value < 0),
    preferring: offset.timescale,
    wasRounded: offset.carriesRounding || from.carriesRounding || to.carriesRounding,
    epoch: offset.epoch)
}

/// Brings a time into a range by whole multiples of the range's duration, as for the position in a loop.
///
/// The result r is in the range and t − r is a multiple of the duration; times before the start are folded
/// too. It is exact where a time can be, in the timescale of the time if that can hold it, and else the
/// nearest that can.
///
/// Apple says no more than that. Here: a range of infinite duration returns times from its start on
/// unmodified; an indefinite time stays so; and it is invalid if the time is no number, is not in the epoch
/// of the start, or is before an infinite range, or if the range is invalid, empty, or has a start or
/// duration that is otherwise no number.
public func CMTimeFoldIntoRange(_ time: CMTime, foldRange: CMTimeRange) -> CMTime {
  guard foldRange.isValid, !foldRange.isEmpty else { return .invalid }
  if time.kind == .indefinite { return .indefinite }
  let start = foldRange.start
  let duration = foldRange.duration
  guard time.kind == .numeric, start.kind == .numeric, time.epoch == start.epoch else { return .invalid }
  if duration.kind == .positiveInfinity { return time >= start ? time : .invalid }
  guard duration.kind == .numeric else { return .invalid }
  if foldRange.containsTime(time) { return time }

  // t − start over the product of their timescales, at most 95 bits over 62; then with the timescale of the
  // duration, 126 over 93.
  let timescales = Int128(time.timescale) * Int128(start.timescale)
  let commonScale = timescales * Int128(duration.timescale)
  let offset =
    (Int128(time.value) * Int128(start.timescale) - Int128(start.value) * Int128(time.timescale))
    * Int128(duration.timescale)
  let period = Int128(duration.value) * timescales
  let truncated = offset % period
  let folded =
    (truncated < 0 ? truncated + period : truncated)
    + Int128(start.value) * Int128(time.timescale) * Int128(duration.timescale)

  let (whole, remainder) = folded.magnitude.quotientAndRemainder(dividingBy: commonScale.magnitude)
  let result = CMTime.nearest(
    to: MixedFraction(
      whole: whole, remainder: remainder, denominator: commonScale.magnitude, isNegative: folded < 0),
    preferring: time.timescale,
    wasRounded: time.carriesRounding || start.carriesRounding || duration.carriesRounding,
    epoch: start.epoch)
  // The nearest time that exists may be the end of the range, or a hair before its start: both are the start
  // of a lap.
  return foldRange.containsTime(result) ? result : start.markedRounded
}

extension CMTime {
  /// The same number with the rounded flag set.
  fileprivate var markedRounded: CMTime {
    var copy = self
    copy.flags.insert(.hasBeenRounded)
    return copy
  }
}
