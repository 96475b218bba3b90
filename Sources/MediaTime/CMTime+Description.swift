extension CMTime: CustomStringConvertible, CustomDebugStringConvertible {
  /// The text of ``CMTimeShow(_:)``: "{1/2 = 0.500}", with ", rounded" and ", epoch 3" before the brace where
  /// they apply, or "{INVALID}", "{INDEFINITE}", "{+INFINITY}", "{-INFINITY}".
  ///
  /// The decimal is computed from the exact fraction, halves away from zero. For people only: nothing should
  /// parse it.
  public var description: String {
    switch kind {
    case .invalid: return "{INVALID}"
    case .indefinite: return "{INDEFINITE}"
    case .positiveInfinity: return "{+INFINITY}"
    case .negativeInfinity: return "{-INFINITY}"
    case .numeric: break
    }
    let thousandths = (Int128(value.magnitude) * 1000)
      .divided(by: Int128(timescale), rounding: .roundHalfAwayFromZero).quotient
    let (whole, fraction) = thousandths.quotientAndRemainder(dividingBy: 1000)
    // With a 1 in front the fraction has its zeros.
    let decimal = "\(value < 0 ? "-" : "")\(whole).\(String(1000 + fraction).dropFirst())"
    let rounded = carriesRounding ? ", rounded" : ""
    return "{\(value)/\(timescale) = \(decimal)\(rounded)\(epoch == 0 ? "" : ", epoch \(epoch)")}"
  }

  /// The four fields as they are stored, which tells malformed times apart where ``description`` does not.
  public var debugDescription: String {
    "CMTime(value: \(value), timescale: \(timescale), flags: \(flags.rawValue), epoch: \(epoch))"
  }
}

/// The text of ``CMTimeShow(_:)``. Never nil; optional because Apple's is. There are no allocators here: pass
/// nil.
public func CMTimeCopyDescription(allocator: Never?, time: CMTime) -> String? {
  time.description
}

/// Prints a description of the time to standard output.
public func CMTimeShow(_ time: CMTime) {
  print(time.description)
}

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
