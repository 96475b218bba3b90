extension CMTime {
  /// A time from floating-point seconds: `seconds × preferredTimescale`, truncated toward zero, over
  /// `preferredTimescale`.
  ///
  /// The product is formed in `Double` and truncated: Apple's header does not give the direction, but its own
  /// log message does ("CMTimeMakeWithSeconds(2.368 seconds, timescale 24): warning: error of -0.034": 56/24,
  /// not 57/24). A product outside `Int64` halves the timescale until it fits; at timescale 1 the time
  /// becomes infinite. The rounded flag is set if ``seconds`` of the result is not equal to `seconds`.
  ///
  /// - Parameters:
  ///   - seconds: An infinity gives that infinity and NaN gives an invalid time (Apple is silent on both).
  ///   - preferredTimescale: Not positive gives an invalid time.
  public init(seconds: Double, preferredTimescale: CMTimeScale) {
    guard preferredTimescale > 0, !seconds.isNaN else {
      self = .invalid
      return
    }
    var timescale = preferredTimescale
    while true {
      let product = seconds * Double(timescale)
      // The conversion truncates. rounded(.towardZero) would need libm's trunc, which a release build does
      // not link by itself.
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

  /// The time in seconds: the quotient of value and timescale in `Double`, an infinity for an infinite time,
  /// NaN for an invalid or indefinite one. The epoch is ignored.
  public var seconds: Double {
    switch kind {
    case .numeric: Double(value) / Double(timescale)
    case .positiveInfinity: .infinity
    case .negativeInfinity: -.infinity
    case .indefinite, .invalid: .nan
    }
  }
}

/// A time from floating-point seconds; see ``CMTime/init(seconds:preferredTimescale:)``.
public func CMTimeMakeWithSeconds(_ seconds: Double, preferredTimescale: Int32) -> CMTime {
  CMTime(seconds: seconds, preferredTimescale: preferredTimescale)
}

/// The time in seconds; see ``CMTime/seconds``.
public func CMTimeGetSeconds(_ time: CMTime) -> Double {
  time.seconds
}
