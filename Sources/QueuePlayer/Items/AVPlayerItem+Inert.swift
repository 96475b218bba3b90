public import Foundation
public import MediaTime
import Synchronization

// Properties that applications set and that mean nothing to an item of sound in a file: they keep what is set, tell
// observers of it, and do nothing. Copies of the item have them too. Any thread; nothing blocks.

/// What is set, with Apple's defaults.
struct InertItemProperties: Sendable {
  var preferredPeakBitRate = 0.0
  var preferredPeakBitRateForExpensiveNetworks = 0.0
  var preferredMaximumResolution = CGSize.zero
  var preferredMaximumResolutionForExpensiveNetworks = CGSize.zero
  var canUseNetworkResourcesForLiveStreamingWhilePaused = false
  var startsOnFirstEligibleVariant = false
  var automaticallyPreservesTimeOffsetFromLive = false
  var configuredTimeOffsetFromLive = CMTime.invalid
  var appliesPerFrameHDRDisplayMetadata = true
  var seekingWaitsForVideoCompositionRendering = false
  var automaticallyHandlesInterstitialEvents = true
  var allowedAudioSpatializationFormats = AVAudioSpatializationFormats.multichannel
}

/// Kinds of sound that may be spread around the listener.
public struct AVAudioSpatializationFormats: OptionSet, Sendable {
  /// Apple's bits.
  public let rawValue: UInt
  /// Formats of these bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// One or two channels.
  public static let monoAndStereo = AVAudioSpatializationFormats(rawValue: 0x3)
  /// More than two channels.
  public static let multichannel = AVAudioSpatializationFormats(rawValue: 0x4)
  /// Any number of channels.
  public static let monoStereoAndMultichannel = AVAudioSpatializationFormats(rawValue: 0x7)
}

extension AVPlayerItem {
  /// The greatest bit rate of streams to choose, in bits per second; 0, the default, for any. No effect: files have one.
  nonisolated public var preferredPeakBitRate: Double {
    get { self[inert: \.preferredPeakBitRate] }
    set { self[inert: \.preferredPeakBitRate] = newValue }
  }

  /// As `preferredPeakBitRate`, on networks that cost money. No effect: files have one bit rate.
  nonisolated public var preferredPeakBitRateForExpensiveNetworks: Double {
    get { self[inert: \.preferredPeakBitRateForExpensiveNetworks] }
    set { self[inert: \.preferredPeakBitRateForExpensiveNetworks] = newValue }
  }

  /// The greatest size of pictures to choose, in pixels; zero, the default, for any. No effect: there are no pictures.
  nonisolated public var preferredMaximumResolution: CGSize {
    get { self[inert: \.preferredMaximumResolution] }
    set { self[inert: \.preferredMaximumResolution] = newValue }
  }

  /// As `preferredMaximumResolution`, on networks that cost money. No effect: there are no pictures.
  nonisolated public var preferredMaximumResolutionForExpensiveNetworks: CGSize {
    get { self[inert: \.preferredMaximumResolutionForExpensiveNetworks] }
    set { self[inert: \.preferredMaximumResolutionForExpensiveNetworks] = newValue }
  }

  /// Whether a live stream is kept up to date while paused; false. No effect: only files are played.
  nonisolated public var canUseNetworkResourcesForLiveStreamingWhilePaused: Bool {
    get { self[inert: \.canUseNetworkResourcesForLiveStreamingWhilePaused] }
    set { self[inert: \.canUseNetworkResourcesForLiveStreamingWhilePaused] = newValue }
  }

  /// Whether a stream begins with the first of its variants that will do; false. No effect: files have no variants.
  nonisolated public var startsOnFirstEligibleVariant: Bool {
    get { self[inert: \.startsOnFirstEligibleVariant] }
    set { self[inert: \.startsOnFirstEligibleVariant] = newValue }
  }

  /// Whether a live stream keeps its distance from the live edge; false. No effect: only files are played.
  nonisolated public var automaticallyPreservesTimeOffsetFromLive: Bool {
    get { self[inert: \.automaticallyPreservesTimeOffsetFromLive] }
    set { self[inert: \.automaticallyPreservesTimeOffsetFromLive] = newValue }
  }

  /// The distance from a live stream's edge; `.invalid`. No effect: only files are played.
  nonisolated public var configuredTimeOffsetFromLive: CMTime {
    get { self[inert: \.configuredTimeOffsetFromLive] }
    set { self[inert: \.configuredTimeOffsetFromLive] = newValue }
  }

  /// The distance from a live stream's edge that its server recommends: `.invalid`, as for every file.
  nonisolated public var recommendedTimeOffsetFromLive: CMTime { .invalid }

  /// Whether each picture's own HDR data is shown; true. No effect: there are no pictures.
  nonisolated public var appliesPerFrameHDRDisplayMetadata: Bool {
    get { self[inert: \.appliesPerFrameHDRDisplayMetadata] }
    set { self[inert: \.appliesPerFrameHDRDisplayMetadata] = newValue }
  }

  /// Whether a seek waits until the picture is drawn; false. No effect: there are no pictures.
  nonisolated public var seekingWaitsForVideoCompositionRendering: Bool {
    get { self[inert: \.seekingWaitsForVideoCompositionRendering] }
    set { self[inert: \.seekingWaitsForVideoCompositionRendering] = newValue }
  }

  /// Whether a stream's own interruptions are played; true. No effect: files have none.
  nonisolated public var automaticallyHandlesInterstitialEvents: Bool {
    get { self[inert: \.automaticallyHandlesInterstitialEvents] }
    set { self[inert: \.automaticallyHandlesInterstitialEvents] = newValue }
  }

  /// The kinds of sound that may be spread around the listener; `multichannel`. No effect: sound is played as it is.
  nonisolated public var allowedAudioSpatializationFormats: AVAudioSpatializationFormats {
    get { self[inert: \.allowedAudioSpatializationFormats] }
    set { self[inert: \.allowedAudioSpatializationFormats] = newValue }
  }

  /// The size of the picture: zero.
  nonisolated public var presentationSize: CGSize { .zero }

  nonisolated private subscript<Value>(
    inert key: WritableKeyPath<InertItemProperties, Value>, name: String = #function
  ) -> Value {
    get {
      observations.note(.inert(name))
      return (state.withLock { $0.inert.first } ?? InertItemProperties())[keyPath: key]
    }
    set {
      set(.inert(name)) {
        state.withLock { state in
          if state.inert.isEmpty { state.inert = [InertItemProperties()] }
          state.inert[0][keyPath: key] = newValue
        }
      }
    }
  }
}
