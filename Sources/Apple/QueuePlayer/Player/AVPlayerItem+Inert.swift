import AudioSession
public import Foundation
public import MediaAssets
public import MediaTime
import Synchronization

// Properties without effect, because video, variants, interstitials and alternative tracks are not supported.
// Their values are stored and copied with the item, and observers are notified of changes. Any thread; no
// call blocks.

/// The values of the properties, with Apple's defaults.
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

/// The channel formats that may be spatialized.
public struct AVAudioSpatializationFormats: OptionSet, Sendable {
  /// The bits, with Apple's values.
  public let rawValue: UInt
  /// Creates formats from their bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// Mono and stereo audio, with one or two channels.
  public static let monoAndStereo = AVAudioSpatializationFormats(rawValue: 0x3)
  /// Multichannel audio, with more than two channels.
  public static let multichannel = AVAudioSpatializationFormats(rawValue: 0x4)
  /// Audio with any number of channels.
  public static let monoStereoAndMultichannel = AVAudioSpatializationFormats(rawValue: 0x7)
}

nonisolated extension AVPlayerItem {
  /// The maximum bit rate to choose, in bits per second; 0, the default, for any. Stored without effect.
  public var preferredPeakBitRate: Double {
    get { self[inert: \.preferredPeakBitRate] }
    set { self[inert: \.preferredPeakBitRate] = newValue }
  }

  /// The `preferredPeakBitRate` for expensive networks, such as mobile ones. Stored without effect.
  public var preferredPeakBitRateForExpensiveNetworks: Double {
    get { self[inert: \.preferredPeakBitRateForExpensiveNetworks] }
    set { self[inert: \.preferredPeakBitRateForExpensiveNetworks] = newValue }
  }

  /// The maximum video size to choose, in pixels; zero, the default, for any. Stored without effect.
  public var preferredMaximumResolution: CGSize {
    get { self[inert: \.preferredMaximumResolution] }
    set { self[inert: \.preferredMaximumResolution] = newValue }
  }

  /// The `preferredMaximumResolution` for expensive networks, such as mobile ones. Stored without effect.
  public var preferredMaximumResolutionForExpensiveNetworks: CGSize {
    get { self[inert: \.preferredMaximumResolutionForExpensiveNetworks] }
    set { self[inert: \.preferredMaximumResolutionForExpensiveNetworks] = newValue }
  }

  /// Whether a live stream is kept up to date while paused; false by default. Stored without effect.
  public var canUseNetworkResourcesForLiveStreamingWhilePaused: Bool {
    get { self[inert: \.canUseNetworkResourcesForLiveStreamingWhilePaused] }
    set { self[inert: \.canUseNetworkResourcesForLiveStreamingWhilePaused] = newValue }
  }

  /// Whether a stream starts with the first suitable variant; false by default. Stored without effect.
  public var startsOnFirstEligibleVariant: Bool {
    get { self[inert: \.startsOnFirstEligibleVariant] }
    set { self[inert: \.startsOnFirstEligibleVariant] = newValue }
  }

  /// Whether a live stream keeps its distance from the live edge; false by default. Stored without effect.
  public var automaticallyPreservesTimeOffsetFromLive: Bool {
    get { self[inert: \.automaticallyPreservesTimeOffsetFromLive] }
    set { self[inert: \.automaticallyPreservesTimeOffsetFromLive] = newValue }
  }

  /// The distance from a live stream's edge; `.invalid` by default. Stored without effect.
  public var configuredTimeOffsetFromLive: CMTime {
    get { self[inert: \.configuredTimeOffsetFromLive] }
    set { self[inert: \.configuredTimeOffsetFromLive] = newValue }
  }

  /// The distance from a live stream's edge that its server recommends. Always `.invalid`.
  public var recommendedTimeOffsetFromLive: CMTime { .invalid }

  /// Whether the HDR metadata of each video frame is applied; true by default. Stored without effect.
  public var appliesPerFrameHDRDisplayMetadata: Bool {
    get { self[inert: \.appliesPerFrameHDRDisplayMetadata] }
    set { self[inert: \.appliesPerFrameHDRDisplayMetadata] = newValue }
  }

  /// Whether a seek waits until the video frame is drawn; false by default. Stored without effect.
  public var seekingWaitsForVideoCompositionRendering: Bool {
    get { self[inert: \.seekingWaitsForVideoCompositionRendering] }
    set { self[inert: \.seekingWaitsForVideoCompositionRendering] = newValue }
  }

  /// Whether interstitial events of a stream are played; true by default. Stored without effect.
  public var automaticallyHandlesInterstitialEvents: Bool {
    get { self[inert: \.automaticallyHandlesInterstitialEvents] }
    set { self[inert: \.automaticallyHandlesInterstitialEvents] = newValue }
  }

  /// The channel formats that may be spatialized; `multichannel` by default. Stored without effect.
  public var allowedAudioSpatializationFormats: AVAudioSpatializationFormats {
    get { self[inert: \.allowedAudioSpatializationFormats] }
    set { self[inert: \.allowedAudioSpatializationFormats] = newValue }
  }

  /// The size of the video, in pixels. Always zero.
  public var presentationSize: CGSize { .zero }

  private subscript<Value>(
    inert key: WritableKeyPath<InertItemProperties, Value>, name: String = #function
  ) -> Value {
    get {
      observations.read(.inert(name)) {
        (state.withLock { $0.inert.first } ?? InertItemProperties())[keyPath: key]
      }
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

  /// The selected tracks of the item. Always empty.
  public var currentMediaSelection: AVMediaSelection { AVMediaSelection() }

  /// Selects a track. Has no effect, because alternative tracks are not supported.
  public func select(
    _ mediaSelectionOption: AVMediaSelectionOption?, in mediaSelectionGroup: AVMediaSelectionGroup
  ) {}

  /// Selects a track by the player's criteria. Has no effect, because alternative tracks are not supported.
  public func selectMediaOptionAutomatically(in mediaSelectionGroup: AVMediaSelectionGroup) {}
}
