import AudioSession
public import Foundation
public import MediaAssets
import Synchronization

// Properties without effect, mostly because video, captions and alternative tracks are not supported. They
// store their values and notify observers. Any thread; no call blocks.

/// The values of the properties, with Apple's defaults.
struct InertPlayerProperties: Sendable {
  var allowsExternalPlayback = true
  var usesExternalPlaybackWhileExternalScreenIsActive = false
  var externalPlaybackVideoGravity = AVLayerVideoGravity.resizeAspect
  var preventsDisplaySleepDuringVideoPlayback = true
  var preventsAutomaticBackgroundingDuringVideoPlayback = true
  var audiovisualBackgroundPlaybackPolicy = AVPlayer.AudiovisualBackgroundPlaybackPolicy.automatic
  var appliesMediaSelectionCriteriaAutomatically = true
  var isClosedCaptionDisplayEnabled = false
  var networkResourcePriority = AVPlayer.NetworkResourcePriority.default
  var mediaSelectionCriteria: [AVMediaCharacteristic: AVPlayerMediaSelectionCriteria] = [:]
}

/// The scaling of video in a layer.
public struct AVLayerVideoGravity: RawRepresentable, Hashable, Sendable {
  /// Apple's name of the scaling.
  public let rawValue: String
  /// Creates a scaling from Apple's name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Stretches the video to fill the layer.
  public static let resize = AVLayerVideoGravity(rawValue: "AVLayerVideoGravityResize")
  /// Fits the video into the layer, preserving its aspect ratio.
  public static let resizeAspect = AVLayerVideoGravity(rawValue: "AVLayerVideoGravityResizeAspect")
  /// Fills the layer with the video, preserving its aspect ratio.
  public static let resizeAspectFill = AVLayerVideoGravity(rawValue: "AVLayerVideoGravityResizeAspectFill")
}

/// The criteria by which a player selects tracks.
public final class AVPlayerMediaSelectionCriteria: NSObject, Sendable {
  /// The preferred languages by BCP 47, the best first; nil for any.
  public let preferredLanguages: [String]?
  /// The preferred characteristics, the best first; nil for any.
  public let preferredMediaCharacteristics: [AVMediaCharacteristic]?

  /// Creates criteria from languages and characteristics.
  public init(preferredLanguages: [String]?, preferredMediaCharacteristics: [AVMediaCharacteristic]?) {
    self.preferredLanguages = preferredLanguages
    self.preferredMediaCharacteristics = preferredMediaCharacteristics
  }
}

nonisolated extension AVPlayer {
  /// The policy for items with video when the application enters the background.
  public enum AudiovisualBackgroundPlaybackPolicy: Int, Sendable {
    /// The system chooses the policy.
    case automatic = 1
    /// Pauses items with video.
    case pauses = 2
    /// Continues items with video if possible.
    case continuesIfPossible = 3
  }

  /// The priority of the player's network traffic relative to other traffic.
  public enum NetworkResourcePriority: Int, Sendable {
    /// The system chooses the priority.
    case `default` = 0
    /// Lower than other traffic.
    case low = 1
    /// Higher than other traffic.
    case high = 2
  }

  /// Whether video may be sent to another device; true by default. Stored without effect.
  public var allowsExternalPlayback: Bool {
    get { self[inert: \.allowsExternalPlayback] }
    set { self[inert: \.allowsExternalPlayback] = newValue }
  }

  /// Whether video is shown on an external screen if one is connected; false by default. Stored without
  /// effect.
  public var usesExternalPlaybackWhileExternalScreenIsActive: Bool {
    get { self[inert: \.usesExternalPlaybackWhileExternalScreenIsActive] }
    set { self[inert: \.usesExternalPlaybackWhileExternalScreenIsActive] = newValue }
  }

  /// Whether video is being sent to another device. Always false.
  public var isExternalPlaybackActive: Bool { false }

  /// The scaling of video on an external screen; `resizeAspect` by default. Stored without effect.
  public var externalPlaybackVideoGravity: AVLayerVideoGravity {
    get { self[inert: \.externalPlaybackVideoGravity] }
    set { self[inert: \.externalPlaybackVideoGravity] = newValue }
  }

  /// Whether the display stays on while video is shown; true by default. Stored without effect.
  public var preventsDisplaySleepDuringVideoPlayback: Bool {
    get { self[inert: \.preventsDisplaySleepDuringVideoPlayback] }
    set { self[inert: \.preventsDisplaySleepDuringVideoPlayback] = newValue }
  }

  /// Whether playing video keeps the application in the foreground; true by default. Stored without effect.
  public var preventsAutomaticBackgroundingDuringVideoPlayback: Bool {
    get { self[inert: \.preventsAutomaticBackgroundingDuringVideoPlayback] }
    set { self[inert: \.preventsAutomaticBackgroundingDuringVideoPlayback] = newValue }
  }

  /// The policy for items with video in the background; `automatic` by default. Stored without effect.
  /// Audio-only items follow the audio session and the background modes, as on Apple's systems.
  public var audiovisualBackgroundPlaybackPolicy: AudiovisualBackgroundPlaybackPolicy {
    get { self[inert: \.audiovisualBackgroundPlaybackPolicy] }
    set { self[inert: \.audiovisualBackgroundPlaybackPolicy] = newValue }
  }

  /// Whether the player selects tracks by its criteria; true by default. Stored without effect.
  public var appliesMediaSelectionCriteriaAutomatically: Bool {
    get { self[inert: \.appliesMediaSelectionCriteriaAutomatically] }
    set { self[inert: \.appliesMediaSelectionCriteriaAutomatically] = newValue }
  }

  /// Whether closed captions are shown; false by default. Stored without effect.
  public var isClosedCaptionDisplayEnabled: Bool {
    get { self[inert: \.isClosedCaptionDisplayEnabled] }
    set { self[inert: \.isClosedCaptionDisplayEnabled] = newValue }
  }

  /// The priority of the player's network traffic; `default` by default. Stored without effect.
  public var networkResourcePriority: NetworkResourcePriority {
    get { self[inert: \.networkResourcePriority] }
    set { self[inert: \.networkResourcePriority] = newValue }
  }

  subscript<Value>(
    inert key: WritableKeyPath<InertPlayerProperties, Value>, name: String = #function
  ) -> Value {
    get { core.observations.read(.inert(name)) { core.state.withLock { $0.inert }[keyPath: key] } }
    set { core.set(.inert(name)) { core.state.withLock { $0.inert[keyPath: key] = newValue } } }
  }
}
