extension CMTimeRange {
  /// Whether the time is a number from ``start`` up to, but not including, ``end``.
  ///
  /// An invalid range contains no times. A range of indefinite duration contains every number from its start
  /// on, because all numbers compare less than an indefinite end (not documented by Apple).
  public func containsTime(_ time: CMTime) -> Bool {
    guard isValid, time.kind == .numeric else { return false }
    let end = self.end
    return end.kind != .invalid && start <= time && time < end
  }

  /// Whether both ranges are valid and the other one starts no earlier and ends no later. A valid range with
  /// a valid end contains itself; an empty range may lie at either edge.
  public func containsTimeRange(_ range: CMTimeRange) -> Bool {
    guard isValid, range.isValid else { return false }
    let end = self.end
    return end.kind != .invalid && start <= range.start && range.end <= end
  }

  /// Returns the smallest range with all times of both ranges, including those in a gap between them.
  ///
  /// An empty range contains no times and adds none; the union of two empty ranges is this range. Invalid if
  /// either range or its end is invalid, or if the ranges start in different epochs.
  public func union(_ otherRange: CMTimeRange) -> CMTimeRange {
    guard canCombine(with: otherRange) else { return .invalid }
    if otherRange.isEmpty { return self }
    if isEmpty { return otherRange }
    return CMTimeRange(
      startOf: start <= otherRange.start ? self : otherRange, endOf: end >= otherRange.end ? self : otherRange
    )
  }

  /// Returns the largest range included in both ranges; ``zero`` if there is a gap between them (Apple only
  /// documents that the result is empty).
  ///
  /// Adjacent ranges give the empty range at their common edge. Invalid if either range or its end is invalid, or
  /// if the ranges start in different epochs.
  public func intersection(_ otherRange: CMTimeRange) -> CMTimeRange {
    guard canCombine(with: otherRange) else { return .invalid }
    let latestStart = start >= otherRange.start ? self : otherRange
    let earliestEnd = end <= otherRange.end ? self : otherRange
    guard latestStart.start <= earliestEnd.end else { return .zero }
    return CMTimeRange(startOf: latestStart, endOf: earliestEnd)
  }

  private func canCombine(with other: CMTimeRange) -> Bool {
    isValid && other.isValid && start.epoch == other.start.epoch && end.kind != .invalid
      && other.end.kind != .invalid
  }

  /// Creates the range from the start of `first` to the end of `last`. Equal ranges are copied, which avoids
  /// rounding.
  private init(startOf first: CMTimeRange, endOf last: CMTimeRange) {
    if first == last {
      self = first
    } else {
      self.init(start: first.start, end: last.end)
    }
  }
}

/// Returns ``CMTimeRange/containsTime(_:)``.
public func CMTimeRangeContainsTime(_ range: CMTimeRange, time: CMTime) -> Bool { range.containsTime(time) }

/// Returns ``CMTimeRange/containsTimeRange(_:)``.
public func CMTimeRangeContainsTimeRange(_ range: CMTimeRange, otherRange: CMTimeRange) -> Bool {
  range.containsTimeRange(otherRange)
}

/// Returns ``CMTimeRange/union(_:)``.
public func CMTimeRangeGetUnion(_ range: CMTimeRange, otherRange: CMTimeRange) -> CMTimeRange {
  range.union(otherRange)
}

/// Returns ``CMTimeRange/intersection(_:)``.
public func CMTimeRangeGetIntersection(_ range: CMTimeRange, otherRange: CMTimeRange) -> CMTimeRange {
  range.intersection(otherRange)
}
