import AudioCore

/// An algorithm that changes the speed of an item's audio at rates other than 1.
public struct AVAudioTimePitchAlgorithm: RawRepresentable, Hashable, Sendable {
  /// Apple's name of the algorithm.
  public let rawValue: String
  /// Creates an algorithm from Apple's name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Works like `timeDomain`. Apple's algorithm rounds the rate to one of a few.
  public static let lowQualityZeroLatency = AVAudioTimePitchAlgorithm(rawValue: "LowQualityZeroLatency")
  /// Preserves the pitch; rates from 1/32 to 32. Suits voices. The default.
  public static let timeDomain = AVAudioTimePitchAlgorithm(rawValue: "TimeDomain")
  /// Preserves the pitch; rates from 1/32 to 32. Suits music: uses longer segments than `timeDomain`. Unlike
  /// Apple's algorithm, it does not work in the frequency domain.
  public static let spectral = AVAudioTimePitchAlgorithm(rawValue: "Spectral")
  /// Changes the pitch with the rate, as a tape does; rates from 1/32 to 32.
  public static let varispeed = AVAudioTimePitchAlgorithm(rawValue: "Varispeed")

  var algorithm: TimePitchAlgorithm {
    switch self {
    case .varispeed: .varispeed
    case .spectral: .spectral
    default: .timeDomain
    }
  }
}
