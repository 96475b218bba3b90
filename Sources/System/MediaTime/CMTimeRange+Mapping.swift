/// Returns the time clamped to a range: itself, unmodified, or the nearer of the range's start and end.
///
/// Later times become the end, although the range does not contain it. Invalid if the time is invalid, if the
/// range is invalid or empty, or if its start or end is invalid. An indefinite time stays indefinite (not
/// documented by Apple).
public func CMTimeClampToRange(_ time: CMTime, range: CMTimeRange) -> CMTime {
  guard time.kind != .invalid, range.isValid, !range.isEmpty else { return .invalid }
  guard time.kind != .indefinite else { return .indefinite }
  let end = range.end
  guard end.kind != .invalid, range.start.kind != .invalid else { return .invalid }
  if time < range.start { return range.start }
  return time > end ? end : time
}

/// Returns a time mapped from one range to another:
/// `(t − from.start) × (to.duration / from.duration) + to.start`.
///
/// The scaling is exact if a time can represent its result; the two shifts are as exact as
/// ``CMTimeAdd(_:_:)``. If both durations are infinite, the time is only shifted. An indefinite duration
/// gives an indefinite time.
///
/// Invalid if either range is invalid or empty, or if the time is not in the epoch of `fromRange.start`. Also
/// invalid, which Apple does not document, if exactly one duration is infinite and the other is a number.
public func CMTimeMapTimeFromRangeToRange(
  _ t: CMTime, fromRange: CMTimeRange, toRange: CMTimeRange
) -> CMTime {
  guard fromRange.isValid, toRange.isValid, !fromRange.isEmpty, !toRange.isEmpty else { return .invalid }
  if t.kind == .numeric, fromRange.start.kind == .numeric, t.epoch != fromRange.start.epoch {
    return .invalid
  }
  return scale(t - fromRange.start, from: fromRange.duration, to: toRange.duration) + toRange.start
}

/// Returns a duration scaled by the ratio of two ranges: `dur × (to.duration / from.duration)`.
///
/// The result is exact if a time can represent it, else the nearest representable time. If both durations are
/// infinite, `dur` is unchanged. An indefinite duration of a range gives an indefinite result. Otherwise an
/// infinite `dur` stays infinite, but becomes invalid if `toRange` is empty.
///
/// Invalid if the epoch of `dur` is not 0, if either range is invalid, or if `fromRange` is empty. Also invalid if
/// exactly one of the ranges' durations is infinite and the other is a number.
public func CMTimeMapDurationFromRangeToRange(
  _ dur: CMTime, fromRange: CMTimeRange, toRange: CMTimeRange
) -> CMTime {
  guard fromRange.isValid, toRange.isValid, !fromRange.isEmpty else { return .invalid }
  if dur.kind == .numeric, dur.epoch != 0 { return .invalid }
  return scale(dur, from: fromRange.duration, to: toRange.duration)
}

/// Returns `offset × to / from` for durations of valid ranges; `from` must not be 0. Keeps the rounded flag
/// of each of the three.
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

  // The numerator is below 2¹⁵⁷, the denominator below 2¹²⁵.
  let denominator = UInt128(offset.timescale) * UInt128(to.timescale) * UInt128(from.value)
  let numerator = (UInt128(offset.value.magnitude) * UInt128(to.value))
    .multipliedFullWidth(by: UInt128(from.timescale))
  // If the high half reaches the denominator, the quotient needs more than 128 bits, far more than a time can
  // hold.
  guard numerator.high < denominator else { return .infinity(negative: offset.value < 0) }
  let (whole, remainder) = denominator.dividingFullWidth(numerator)
  return .nearest(
    to: MixedFraction(
      whole: whole, remainder: remainder, denominator: denominator, isNegative: offset.value < 0),
    preferring: offset.timescale,
    wasRounded: offset.carriesRounding || from.carriesRounding || to.carriesRounding,
    epoch: offset.epoch)
}

/// Returns a time folded into a range by multiples of the range's duration, as for the position in a loop.
///
/// The result r is in the range, and t − r is a multiple of the duration; times before the start are folded
/// as well. The result is exact if possible, preferably at the time's timescale, else the nearest time. If the
/// nearest time is outside the range, the result is the start, marked as rounded.
///
/// Not documented by Apple: if the range has an infinite duration, a time at or after its start is returned
/// unmodified. An indefinite time stays indefinite. The result is invalid
///
/// - if the time is infinite, invalid or not in the epoch of the start, or precedes a range of infinite
///   duration;
/// - if the range is invalid or empty, or its start or duration is otherwise not a number.
public func CMTimeFoldIntoRange(_ time: CMTime, foldRange: CMTimeRange) -> CMTime {
  guard foldRange.isValid, !foldRange.isEmpty else { return .invalid }
  if time.kind == .indefinite { return .indefinite }
  let start = foldRange.start
  let duration = foldRange.duration
  guard time.kind == .numeric, start.kind == .numeric, time.epoch == start.epoch else { return .invalid }
  if duration.kind == .positiveInfinity { return time >= start ? time : .invalid }
  guard duration.kind == .numeric else { return .invalid }
  if foldRange.containsTime(time) { return time }

  // The first term is t − start over the product of their timescales: at most 95 bits over 62. The duration's
  // timescale makes it 126 over 93.
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
  // The nearest time may be the range's end, or slightly before its start. Both stand for the start of a
  // cycle.
  return foldRange.containsTime(result) ? result : start.markedRounded
}

extension CMTime {
  fileprivate var markedRounded: CMTime {
    var copy = self
    copy.flags.insert(.hasBeenRounded)
    return copy
  }
}
