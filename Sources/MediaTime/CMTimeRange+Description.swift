extension CMTimeRange: CustomStringConvertible, CustomDebugStringConvertible {
  /// The text of ``CMTimeRangeShow(_:)``: start and duration (not the end), as "{{0/1 = 0.000}, {300/600 =
  /// 0.500}}".
  public var description: String { "{\(start), \(duration)}" }

  /// The fields of both times as they are stored.
  public var debugDescription: String {
    "CMTimeRange(start: \(start.debugDescription), duration: \(duration.debugDescription))"
  }
}

/// The text of ``CMTimeRangeShow(_:)``. Never nil; optional because Apple's is. There are no allocators here:
/// pass nil.
public func CMTimeRangeCopyDescription(allocator: Never?, range: CMTimeRange) -> String? {
  range.description
}

/// Prints a description of the range to standard output.
public func CMTimeRangeShow(_ range: CMTimeRange) {
  print(range.description)
}
