import Synchronization

// Properties that applications set and that mean nothing to a player of sound: they keep what is set, tell observers of
// it, and do nothing. Any thread; nothing blocks.

/// What is set, with Apple's defaults.
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

/// How pictures fit into a layer.
public struct AVLayerVideoGravity: RawRepresentable, Hashable, Sendable {
  /// Apple's name.
  public let rawValue: String
  /// The gravity of that name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Stretched to the layer.
  public static let resize = AVLayerVideoGravity(rawValue: "AVLayerVideoGravityResize")
  /// As large as fits, in the picture's proportions.
  public static let resizeAspect = AVLayerVideoGravity(rawValue: "AVLayerVideoGravityResizeAspect")
  /// Filling the layer, in the picture's proportions.
  public static let resizeAspectFill = AVLayerVideoGravity(rawValue: "AVLayerVideoGravityResizeAspectFill")
}

extension AVPlayer {
  /// What happens to items with pictures when the application goes to the background.
  public enum AudiovisualBackgroundPlaybackPolicy: Int, Sendable {
    /// The system decides.
    case automatic = 1
    /// They pause.
    case pauses = 2
    /// They play on if they can.
    case continuesIfPossible = 3
  }

  /// How important the player's network traffic is beside that of others.
  public enum NetworkResourcePriority: Int, Sendable {
    /// The system decides.
    case `default` = 0
    /// Less important than that of others.
    case low = 1
    /// More important than that of others.
    case high = 2
  }

  /// Whether pictures may be sent to another device; true. No effect: there are no pictures.
  nonisolated public var allowsExternalPlayback: Bool {
    get { self[inert: \.allowsExternalPlayback] }
    set { self[inert: \.allowsExternalPlayback] = newValue }
  }

  /// Whether pictures are sent to an external screen while there is one; false. No effect: there are no pictures.
  nonisolated public var usesExternalPlaybackWhileExternalScreenIsActive: Bool {
    get { self[inert: \.usesExternalPlaybackWhileExternalScreenIsActive] }
    set { self[inert: \.usesExternalPlaybackWhileExternalScreenIsActive] = newValue }
  }

  /// Whether pictures are being sent to another device: false.
  nonisolated public var isExternalPlaybackActive: Bool { false }

  /// How pictures fit an external screen; `resizeAspect`. No effect: there are no pictures.
  nonisolated public var externalPlaybackVideoGravity: AVLayerVideoGravity {
    get { self[inert: \.externalPlaybackVideoGravity] }
    set { self[inert: \.externalPlaybackVideoGravity] = newValue }
  }

  /// Whether the display stays on while pictures are shown; true. No effect: there are no pictures.
  nonisolated public var preventsDisplaySleepDuringVideoPlayback: Bool {
    get { self[inert: \.preventsDisplaySleepDuringVideoPlayback] }
    set { self[inert: \.preventsDisplaySleepDuringVideoPlayback] = newValue }
  }

  /// Whether the system keeps the application in front while pictures are shown; true. No effect: there are no
  /// pictures.
  nonisolated public var preventsAutomaticBackgroundingDuringVideoPlayback: Bool {
    get { self[inert: \.preventsAutomaticBackgroundingDuringVideoPlayback] }
    set { self[inert: \.preventsAutomaticBackgroundingDuringVideoPlayback] = newValue }
  }

  /// What happens to items with pictures in the background; `automatic`. No effect: items of sound alone play on or
  /// pause as the audio session and the background modes say, as on Apple's systems.
  nonisolated public var audiovisualBackgroundPlaybackPolicy: AudiovisualBackgroundPlaybackPolicy {
    get { self[inert: \.audiovisualBackgroundPlaybackPolicy] }
    set { self[inert: \.audiovisualBackgroundPlaybackPolicy] = newValue }
  }

  /// Whether the player chooses languages by its media selection criteria; true. No effect: there is nothing to choose
  /// from.
  nonisolated public var appliesMediaSelectionCriteriaAutomatically: Bool {
    get { self[inert: \.appliesMediaSelectionCriteriaAutomatically] }
    set { self[inert: \.appliesMediaSelectionCriteriaAutomatically] = newValue }
  }

  /// Whether closed captions are shown; false. No effect: there are none.
  nonisolated public var isClosedCaptionDisplayEnabled: Bool {
    get { self[inert: \.isClosedCaptionDisplayEnabled] }
    set { self[inert: \.isClosedCaptionDisplayEnabled] = newValue }
  }

  /// How important the player's network traffic is; `default`. No effect: only files are played.
  nonisolated public var networkResourcePriority: NetworkResourcePriority {
    get { self[inert: \.networkResourcePriority] }
    set { self[inert: \.networkResourcePriority] = newValue }
  }

  nonisolated subscript<Value>(
    inert key: WritableKeyPath<InertPlayerProperties, Value>, name: String = #function
  ) -> Value {
    get {
      core.observations.note(.inert(name))
      return core.state.withLock { $0.inert }[keyPath: key]
    }
    set { core.set(.inert(name)) { core.state.withLock { $0.inert[keyPath: key] = newValue } } }
  }
}
