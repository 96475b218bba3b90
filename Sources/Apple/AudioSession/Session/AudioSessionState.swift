import AudioCore
import Foundation
import PlaybackEngine

/// An audio session as a state machine: its methods return the actions to perform.
struct AudioSessionState: Sendable {
  var category = AVAudioSession.Category.soloAmbient
  var mode = AVAudioSession.Mode.default
  var options: AVAudioSession.CategoryOptions = []
  var policy = AVAudioSession.RouteSharingPolicy.default
  var isActive = false
  var isInterrupted = false
  /// Whether an interruption is in progress whose beginning the application has yet to be notified of.
  var expectsInterruption = false
  /// The name of the current sink; nil if no sink is known.
  var sink: String?
  private var isServerLost = false
  /// Whether an output was opened before, so that a different sink is a change of route.
  private var hasBeenOpen = false
  /// Whether the session has subscribed to the device's surroundings (volume, other audio).
  var followsSurroundings = false
  /// The last surroundings that the device reported; nil before the first report.
  private var surroundings: OutputSurroundings?

  enum Action: Hashable, Sendable {
    case postInterruptionBegan(AVAudioSession.InterruptionReason)
    case postInterruptionEnded(shouldResume: Bool)
    case postRouteChange(AVAudioSession.RouteChangeReason, previous: SessionRoute)
    case postServicesLost
    case postServicesReset
    /// Subscribe to the device's surroundings (volume, other audio).
    case followSurroundings
    /// Notify observers of `outputVolume`, which may have changed.
    case announceVolume
    /// Other applications started or stopped playing audio.
    case postSilenceHint(begins: Bool)
    case pausePlayers(EngineRateReason)
    /// The permission to play in the background may have changed.
    case rightsChanged
  }

  /// Whether players may play at all. False for the category `record`.
  var allowsSound: Bool { category != .record }

  /// Whether players may play in the background.
  var allowsBackgroundSound: Bool {
    isActive && [.playback, .playAndRecord, .multiRoute].contains(category)
  }

  /// The reason for which players must pause; nil if they may play.
  func pauseReason(isInBackground: Bool) -> EngineRateReason? {
    if isInterrupted { return .audioSessionInterrupted }
    guard isActive else { return .setRateCalled }
    guard allowsSound else { return .setRateFailed }
    return isInBackground && !allowsBackgroundSound ? .appBackgrounded : nil
  }

  /// The route of the sound. `playAndRecord` uses a phone's receiver, unless the options name the speaker.
  var route: SessionRoute {
    SessionRoute(
      sink: sink, prefersReceiver: category == .playAndRecord && !options.contains(.defaultToSpeaker))
  }

  /// Returns to the initial state. The subscription to the device's surroundings continues.
  mutating func reset() {
    let old = self
    self = AudioSessionState()
    (followsSurroundings, surroundings) = (old.followsSurroundings, old.surroundings)
  }

  // MARK: Requests of the application

  /// Sets the category and returns the actions. A `mode` of nil keeps the current mode if it is valid for
  /// `category`, and sets `default` otherwise. Options of nil keep the current options unless the category changes.
  mutating func setCategory(
    _ category: AVAudioSession.Category, mode: AVAudioSession.Mode? = nil,
    policy: AVAudioSession.RouteSharingPolicy = .default, options: AVAudioSession.CategoryOptions? = nil
  ) throws(AudioSessionError) -> [Action] {
    guard AVAudioSession.Category.all.contains(category) else {
      throw AudioSessionError(.badParam, "\"\(category.rawValue)\" is no category.")
    }
    let isOther = category != self.category
    if let mode { try Self.check(mode, with: category) }
    let mode = mode ?? (Self.goes(self.mode, with: category) ? self.mode : .default)
    // Options apply to the category with which they were set.
    var options = options ?? (isOther ? [] : self.options)
    try Self.check(options, with: category)
    if !options.isDisjoint(with: .duckOthers) { options.insert(.mixWithOthers) }
    try Self.check(policy, category: category, mode: mode, options: options)
    let previous = route
    self.category = category
    self.mode = mode
    self.options = options
    self.policy = policy
    let isRerouted = route.port != previous.port
    let post: [Action] = isOther || isRerouted ? [.postRouteChange(.categoryChange, previous: previous)] : []
    guard isOther else { return post }
    return post + (allowsSound ? [] : [.pausePlayers(.setRateFailed)]) + [.rightsChanged]
  }

  mutating func setMode(_ mode: AVAudioSession.Mode) throws(AudioSessionError) -> [Action] {
    try Self.check(mode, with: category)
    try Self.check(policy, category: category, mode: mode, options: options)
    self.mode = mode
    return []
  }

  mutating func activate() throws(AudioSessionError) -> [Action] {
    if isInterrupted || expectsInterruption {
      throw AudioSessionError(.insufficientPriority, "The session is interrupted.")
    }
    guard !isActive else { return [] }
    isActive = true
    return [.followSurroundings, .rightsChanged]
  }

  mutating func deactivate() -> [Action] {
    guard isActive else { return [] }
    isActive = false
    return [.pausePlayers(.setRateCalled), .rightsChanged]
  }

  // MARK: Interruptions and output events

  mutating func beginInterruption(_ reason: AVAudioSession.InterruptionReason) -> [Action] {
    expectsInterruption = false
    guard !isInterrupted else { return [] }
    isInterrupted = true
    isActive = false
    return [.postInterruptionBegan(reason), .pausePlayers(.audioSessionInterrupted), .rightsChanged]
  }

  mutating func endInterruption(shouldResume: Bool) -> [Action] {
    expectsInterruption = false
    guard isInterrupted else { return [] }
    isInterrupted = false
    return [.postInterruptionEnded(shouldResume: shouldResume)]
  }

  /// Records that the output was opened, or moved to another sink.
  mutating func outputOpened(sink new: String) -> [Action] {
    var actions: [Action] = isServerLost ? [.postServicesReset] : []
    if hasBeenOpen, sink != new { actions.append(.postRouteChange(.newDeviceAvailable, previous: route)) }
    sink = new
    hasBeenOpen = true
    isServerLost = false
    return actions
  }

  /// Records that the output was lost, or could not be opened.
  mutating func outputLost(_ cause: OutputError.Cause) -> [Action] {
    switch cause {
    case .server:
      guard hasBeenOpen, !isServerLost else { return [] }
      isServerLost = true
      return [.postServicesLost]
    case .device:
      guard sink != nil else { return [] }
      defer { sink = nil }
      return [.postRouteChange(.oldDeviceUnavailable, previous: route)]
    case .other: return []
    }
  }

  /// Records the device's surroundings. Silence hints follow changes of other audio while the session is active. Other
  /// audio that plays at the first report causes none.
  mutating func surroundingsChanged(_ new: OutputSurroundings) -> [Action] {
    let old = surroundings
    surroundings = new
    guard let old, new.isOtherAudioPlaying != old.isOtherAudioPlaying, isActive else {
      return [.announceVolume]
    }
    return [.announceVolume, .postSilenceHint(begins: new.isOtherAudioPlaying)]
  }

  // MARK: Valid combinations

  private static func goes(_ mode: AVAudioSession.Mode, with category: AVAudioSession.Category) -> Bool {
    switch mode {
    case .default, .spokenAudio, .measurement: true
    case .moviePlayback, .voicePrompt: category == .playback
    case .voiceChat, .gameChat, .videoChat: category == .playAndRecord
    case .videoRecording: category == .playAndRecord || category == .record
    default: false
    }
  }

  private static func check(
    _ mode: AVAudioSession.Mode, with category: AVAudioSession.Category
  ) throws(AudioSessionError) {
    guard !goes(mode, with: category) else { return }
    guard AVAudioSession.Mode.all.contains(mode) else {
      throw AudioSessionError(.badParam, "\"\(mode.rawValue)\" is no mode.")
    }
    throw AudioSessionError(
      .incompatibleCategory, "\(mode.rawValue) does not go with \(category.rawValue).")
  }

  private static func check(
    _ options: AVAudioSession.CategoryOptions, with category: AVAudioSession.Category
  ) throws(AudioSessionError) {
    if options.rawValue & ~0xff != 0 { throw AudioSessionError(.badParam, "There are no such options.") }
    if options.contains(.overrideMutedMicrophoneInterruption), ![.playAndRecord, .record].contains(category) {
      throw AudioSessionError(.badParam, "\(category.rawValue) has no microphone.")
    }
    let mixing: AVAudioSession.CategoryOptions = [
      .mixWithOthers, .duckOthers, .interruptSpokenAudioAndMixWithOthers,
    ]
    if [.soloAmbient, .record].contains(category), !options.isDisjoint(with: mixing) {
      throw AudioSessionError(.badParam, "\(category.rawValue) mixes with nobody.")
    }
  }

  private static func check(
    _ policy: AVAudioSession.RouteSharingPolicy, category: AVAudioSession.Category,
    mode: AVAudioSession.Mode, options: AVAudioSession.CategoryOptions
  ) throws(AudioSessionError) {
    switch policy {
    case .default: return
    case .independent:
      throw AudioSessionError(.badParam, "The policy \"independent\" is the system's to set.")
    case .longFormAudio, .longFormVideo:
      let modes: [AVAudioSession.Mode] = [.default, .moviePlayback, .spokenAudio]
      guard category == .playback, modes.contains(mode), options.isEmpty else {
        throw AudioSessionError(
          .badParam,
          "A long-form policy goes with the category playback, the modes default, moviePlayback and spokenAudio, and no options."
        )
      }
    }
  }
}

/// The error of a call that a session refuses.
struct AudioSessionError: Error, Hashable {
  let code: AVAudioSession.ErrorCode
  /// The reason, as a sentence for the user.
  let reason: String

  init(_ code: AVAudioSession.ErrorCode, _ reason: String) {
    self.code = code
    self.reason = reason
  }

  /// The error as an `NSError`, which clients catch.
  var asNSError: NSError {
    NSError(
      domain: NSOSStatusErrorDomain, code: code.rawValue, userInfo: [NSLocalizedDescriptionKey: reason])
  }
}
