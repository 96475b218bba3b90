extension CMTime: CustomStringConvertible, CustomDebugStringConvertible {
  /// The text of ``CMTimeShow(_:)``: "{1/2 = 0.500}", with ", rounded" and ", epoch 3" before the closing
  /// brace where they apply, or "{INVALID}", "{INDEFINITE}", "{+INFINITY}", "{-INFINITY}".
  ///
  /// The decimal is the fraction rounded to three places, halves away from zero. For people, not for parsing.
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
    // Adding a leading 1 keeps the leading zeros of the fraction.
    let decimal = "\(value < 0 ? "-" : "")\(whole).\(String(1000 + fraction).dropFirst())"
    let rounded = carriesRounding ? ", rounded" : ""
    return "{\(value)/\(timescale) = \(decimal)\(rounded)\(epoch == 0 ? "" : ", epoch \(epoch)")}"
  }

  /// The four stored fields; unlike ``description``, they distinguish malformed times.
  public var debugDescription: String {
    "CMTime(value: \(value), timescale: \(timescale), flags: \(flags.rawValue), epoch: \(epoch))"
  }
}

/// Returns the text of ``CMTimeShow(_:)``. Never nil; optional as in Core Media. `allocator`: pass nil.
public func CMTimeCopyDescription(allocator: Never?, time: CMTime) -> String? { time.description }

/// Prints a description of the time to standard output.
public func CMTimeShow(_ time: CMTime) { print(time.description) }

extension CMTimeRange: CustomStringConvertible, CustomDebugStringConvertible {
  /// The text of ``CMTimeRangeShow(_:)``, start and duration: "{{0/1 = 0.000}, {300/600 = 0.500}}".
  public var description: String { "{\(start), \(duration)}" }

  /// The stored fields of both times.
  public var debugDescription: String {
    "CMTimeRange(start: \(start.debugDescription), duration: \(duration.debugDescription))"
  }
}

/// Returns the text of ``CMTimeRangeShow(_:)``. Never nil; optional as in Core Media. `allocator`: pass nil.
public func CMTimeRangeCopyDescription(allocator: Never?, range: CMTimeRange) -> String? { range.description }

/// Prints a description of the range to standard output.
public func CMTimeRangeShow(_ range: CMTimeRange) { print(range.description) }
