extension CMTime {
  /// The five kinds of time, in the order of ``CMTimeCompare(_:_:)``.
  enum Kind: Int {
    case negativeInfinity, numeric, indefinite, positiveInfinity, invalid
  }

  /// The kind of the time, which decides how every operation treats it.
  ///
  /// If several implied-value flags are set (never by this module), the first of positive infinity, negative
  /// infinity and indefinite counts. A number without a positive timescale is invalid.
  var kind: Kind {
    guard flags.contains(.valid) else { return .invalid }
    if flags.isDisjoint(with: .impliedValueFlagsMask) { return timescale > 0 ? .numeric : .invalid }
    if flags.contains(.positiveInfinity) { return .positiveInfinity }
    return flags.contains(.negativeInfinity) ? .negativeInfinity : .indefinite
  }

  static func infinity(negative: Bool) -> CMTime { negative ? .negativeInfinity : .positiveInfinity }

  static func numericFlags(rounded: Bool) -> CMTimeFlags { rounded ? [.valid, .hasBeenRounded] : .valid }

  /// Whether the rounded flag is set. Meaningful for numbers only.
  var carriesRounding: Bool { flags.contains(.hasBeenRounded) }
}
