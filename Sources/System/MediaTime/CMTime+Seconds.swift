extension CMTime {
  /// Creates a time from seconds: `seconds × preferredTimescale`, truncated, over `preferredTimescale`.
  ///
  /// The product is computed in `Double` and truncated. Apple's header does not give the direction, but its
  /// log message does ("CMTimeMakeWithSeconds(2.368 seconds, timescale 24): warning: error of -0.034": 56/24,
  /// not 57/24). A product outside `Int64` halves the timescale until it fits; at timescale 1 the time
  /// becomes infinite. The rounded flag is set if ``seconds`` of the result differs from `seconds`.
  ///
  /// - Parameters:
  ///   - seconds: the seconds. An infinity gives that infinity, NaN an invalid time (both undocumented).
  ///   - preferredTimescale: the timescale. If not positive, the time is invalid.
  public init(seconds: Double, preferredTimescale: CMTimeScale) {
    guard preferredTimescale > 0, !seconds.isNaN else {
      self = .invalid
      return
    }
    var timescale = preferredTimescale
    while true {
      let product = seconds * Double(timescale)
      // The conversion to `Int64` truncates. `rounded(.towardZero)` would need libm's trunc, which a release
      // build does not link automatically.
      if product >= -0x1p63, product < 0x1p63 {
        self.init(value: Int64(product), timescale: timescale)
        if self.seconds != seconds { flags.insert(.hasBeenRounded) }
        return
      }
      guard timescale > 1 else { break }
      timescale /= 2
    }
    self = .infinity(negative: seconds < 0)
  }

  /// The time in seconds: the `Double` quotient of value and timescale. An infinity for an infinite time, NaN
  /// for an invalid or indefinite one. Ignores the epoch.
  public var seconds: Double {
    switch kind {
    case .numeric: Double(value) / Double(timescale)
    case .positiveInfinity: .infinity
    case .negativeInfinity: -.infinity
    case .indefinite, .invalid: .nan
    }
  }
}

/// Creates a time from floating-point seconds; see ``CMTime/init(seconds:preferredTimescale:)``.
public func CMTimeMakeWithSeconds(_ seconds: Double, preferredTimescale: Int32) -> CMTime {
  CMTime(seconds: seconds, preferredTimescale: preferredTimescale)
}

/// Returns the time in seconds; see ``CMTime/seconds``.
public func CMTimeGetSeconds(_ time: CMTime) -> Double { time.seconds }
