extension CMTimeRange {
  /// Whether the time is a number from ``start`` on and before ``end``, by ``CMTimeCompare(_:_:)``; so never
  /// ``end`` itself.
  ///
  /// A range that is not valid contains nothing. A range of indefinite duration contains every number from
  /// its start on, because all numbers compare less than an indefinite end (Apple is silent).
  public func containsTime(_ time: CMTime) -> Bool {
    guard isValid, time.kind == .numeric else { return false }
    let end = self.end
    return end.kind != .invalid && start <= time && time < end
  }

  /// Whether both ranges are valid and the other starts no earlier and ends no later. So every valid range
  /// contains itself, and an empty one may lie at either edge.
  public func containsTimeRange(_ range: CMTimeRange) -> Bool {
    guard isValid, range.isValid else { return false }
    let end = self.end
    return end.kind != .invalid && start <= range.start && range.end <= end
  }

  /// The smallest range with all times that are in either range, those in a gap between them included.
  ///
  /// An empty range has no times and adds nothing; of two empty ranges it is this one. Invalid if either
  /// range is, or if they start in different epochs.
  public func union(_ otherRange: CMTimeRange) -> CMTimeRange {
    guard canCombine(with: otherRange) else { return .invalid }
    if otherRange.isEmpty { return self }
    if isEmpty { return otherRange }
    return CMTimeRange(
      startOf: start <= otherRange.start ? self : otherRange, endOf: end >= otherRange.end ? self : otherRange
    )
  }

  /// The largest range that both ranges include; ``zero`` if there is a gap between them (Apple only says
  /// that it is empty).
  ///
  /// Ranges that touch give the empty range where they do. Invalid if either range is, or if they start in
  /// different epochs.
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

  /// The range from the start of one range to the end of another. If they are one, it is that one, and
  /// nothing is rounded.
  private init(startOf first: CMTimeRange, endOf last: CMTimeRange) {
    if first == last {
      self = first
    } else {
      self.init(start: first.start, end: last.end)
    }
  }
}

/// ``CMTimeRange/containsTime(_:)``.
public func CMTimeRangeContainsTime(_ range: CMTimeRange, time: CMTime) -> Bool {
  range.containsTime(time)
}

/// ``CMTimeRange/containsTimeRange(_:)``.
public func CMTimeRangeContainsTimeRange(_ range: CMTimeRange, otherRange: CMTimeRange) -> Bool {
  range.containsTimeRange(otherRange)
}

/// ``CMTimeRange/union(_:)``.
public func CMTimeRangeGetUnion(_ range: CMTimeRange, otherRange: CMTimeRange) -> CMTimeRange {
  range.union(otherRange)
}

/// ``CMTimeRange/intersection(_:)``.
public func CMTimeRangeGetIntersection(_ range: CMTimeRange, otherRange: CMTimeRange) -> CMTimeRange {
  range.intersection(otherRange)
}
