import AudioCore

/// How an item's sound is made to pass faster or slower at rates other than 1.
public struct AVAudioTimePitchAlgorithm: RawRepresentable, Hashable, Sendable {
  /// Apple's name.
  public let rawValue: String
  /// The algorithm of that name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Plays as `timeDomain` does; Apple's rounds the rate to one of a few.
  public static let lowQualityZeroLatency = AVAudioTimePitchAlgorithm(rawValue: "LowQualityZeroLatency")
  /// Keeps the pitch; rates from 1/32 to 32. Suits voices. The default.
  public static let timeDomain = AVAudioTimePitchAlgorithm(rawValue: "TimeDomain")
  /// Keeps the pitch; rates from 1/32 to 32. Suits music: longer pieces of sound are put together than with
  /// `timeDomain`. The sound is not taken apart into frequencies as it is on Apple's systems.
  public static let spectral = AVAudioTimePitchAlgorithm(rawValue: "Spectral")
  /// The pitch changes with the rate, as on a tape; rates from 1/32 to 32.
  public static let varispeed = AVAudioTimePitchAlgorithm(rawValue: "Varispeed")

  var algorithm: TimePitchAlgorithm {
    switch self {
    case .varispeed: .varispeed
    case .spectral: .spectral
    default: .timeDomain
    }
  }
}
