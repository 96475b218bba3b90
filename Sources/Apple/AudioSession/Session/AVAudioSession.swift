package import AudioCore
public import Foundation
import PlaybackEngine
import Synchronization

/// The audio session of an application: its right to play in the background, its interruptions and its route.
///
/// Each environment has one session, shared by all its players. May be used from any thread. No call blocks,
/// except the first use of `isOtherAudioPlaying`, `secondaryAudioShouldBeSilencedHint` or `outputVolume`.
/// Notifications are posted on the environment's main queue, and deferred during suspension.
///
/// A player that starts to play activates an inactive session. The session stays active until it is
/// deactivated or interrupted or the application ends. Suspension does not deactivate the session, because
/// players resume automatically afterwards.
public final class AVAudioSession: NSObject, KeyValueObserving, ObservedObject, Sendable {
  private let state = Mutex(AudioSessionState())
  let suspension: PlaybackSuspension
  private let device: any AudioOutputDevice
  package let observations = ObservationList()

  init(suspension: PlaybackSuspension, device: any AudioOutputDevice) {
    self.suspension = suspension
    self.device = device
    super.init()
    suspension.state.withLock { $0.session = self }
  }

  // MARK: Category

  /// The purpose of the sound; `soloAmbient` by default.
  public var category: Category { state.withLock { $0.category } }

  /// The kind of sound; `default` until set.
  public var mode: Mode { state.withLock { $0.mode } }

  /// The options set with the category.
  public var categoryOptions: CategoryOptions { state.withLock { $0.options } }

  /// The policy set with the category; `default` until set.
  public var routeSharingPolicy: RouteSharingPolicy { state.withLock { $0.policy } }

  /// The categories that can be set: all, including those with an input, although no input exists.
  public var availableCategories: [Category] { Category.all }

  /// The modes that can be set with at least one of the categories: all.
  public var availableModes: [Mode] { Mode.all }

  /// Sets the category. A change of category clears the options. The mode is kept if it is valid for the
  /// category, and becomes `default` otherwise. The policy becomes `default`. The category `record` pauses the
  /// session's players, with the reason `setRateFailed`. In the background, a category without background playback
  /// pauses them with the reason `appBackgrounded`. Throws an `NSError` with the `ErrorCode` `badParam` for an
  /// unknown category.
  public func setCategory(_ category: Category) throws {
    try change { state throws(AudioSessionError) in try state.setCategory(category) }
  }

  /// Sets the category and the options; otherwise as `setCategory(_:)`. Also throws `badParam` for options that are
  /// unknown or that the category does not allow.
  public func setCategory(_ category: Category, options: CategoryOptions = []) throws {
    try change { state throws(AudioSessionError) in try state.setCategory(category, options: options) }
  }

  /// Sets the category, the mode and the options; the policy becomes `default`. Throws as `setCategory(_:options:)`
  /// does, `badParam` for an unknown mode, and `incompatibleCategory` for a mode that is not valid for the category.
  public func setCategory(_ category: Category, mode: Mode, options: CategoryOptions = []) throws {
    try setCategory(category, mode: mode, policy: .default, options: options)
  }

  /// Sets the category, the mode, the options and the policy. Throws as `setCategory(_:mode:options:)` does,
  /// and `badParam` for the policy `independent`. A long-form policy requires the category `playback`, the
  /// mode `default`, `moviePlayback` or `spokenAudio`, and no options; otherwise `badParam` is thrown.
  public func setCategory(
    _ category: Category, mode: Mode, policy: RouteSharingPolicy, options: CategoryOptions = []
  ) throws {
    try change { state throws(AudioSessionError) in
      try state.setCategory(category, mode: mode, policy: policy, options: options)
    }
  }

  /// Sets the mode. Throws an `NSError` with the `ErrorCode` `badParam` for an unknown mode, or a mode that a long-form
  /// policy does not allow. Throws `incompatibleCategory` for a mode that is not valid for the category.
  public func setMode(_ mode: Mode) throws {
    try change { state throws(AudioSessionError) in try state.setMode(mode) }
  }

  // MARK: Activity

  /// Whether the session is active. Apple's session has no such member, but activates by the same rules.
  public var isActive: Bool { state.withLock { $0.isActive } }

  /// Whether the session is interrupted. During an interruption the session cannot be activated, and players do not
  /// play. Becomes true before `began` and false before `ended` is posted. Not in Apple's session.
  public var isInterrupted: Bool { state.withLock { $0.isInterrupted } }

  /// Activates or deactivates the session. Deactivation pauses the session's players, with the reason `setRateCalled`,
  /// and does not throw (as since iOS 26; earlier versions also threw `isBusy`). `options` has no effect here.
  /// Activation during an interruption throws an `NSError` with the `ErrorCode` `insufficientPriority`.
  public func setActive(_ active: Bool, options: SetActiveOptions = []) throws {
    try change { state throws(AudioSessionError) in active ? try state.activate() : state.deactivate() }
  }

  // MARK: Route

  /// The current route of the sound.
  public var currentRoute: AVAudioSessionRouteDescription {
    AVAudioSessionRouteDescription(state.withLock { $0.route })
  }

  /// The sample rate of the first player with an open output, in frames per second; 0 if no output is open.
  public var sampleRate: Double { suspension.outputProperties.map { Double($0.sampleRate) } ?? 0 }

  /// The latency from the first player with an open output to the listener, in seconds; 0 if no output is open.
  public var outputLatency: TimeInterval { suspension.outputProperties?.latency ?? 0 }

  // MARK: Other audio and volume

  /// The timeout of the first query, in seconds. A server on this machine answers within milliseconds.
  static let answerLimit = 0.2

  private var surroundings: OutputSurroundings {
    followSurroundings()
    return device.surroundings(limit: Self.answerLimit) ?? OutputSurroundings()
  }

  private func followSurroundings() {
    let isFollowing = state.withLock { state in
      defer { state.followsSurroundings = true }
      return state.followsSurroundings
    }
    if isFollowing { return }
    device.followSurroundings { [weak self] new in
      guard let self else { return }
      self.perform(self.state.withLock { $0.surroundingsChanged(new) })
    }
  }

  /// Whether another client of the sound server plays audio; false if the server is not available or has not answered
  /// yet. The first use of this property, `secondaryAudioShouldBeSilencedHint` or `outputVolume` connects to the server
  /// and waits at most 0.2 s for its answer. Later uses do not wait, unless the first connection was refused at once.
  /// Activation also connects, without waiting.
  public var isOtherAudioPlaying: Bool { surroundings.isOtherAudioPlaying }

  /// Whether optional sound of the application should be silent. Equals `isOtherAudioPlaying`, because
  /// clients of the server do not state whether their sound may be mixed.
  public var secondaryAudioShouldBeSilencedHint: Bool { isOtherAudioPlaying }

  /// The sink's volume as a mixer's slider shows it, from 0 to 1, even while the sink is muted. Also 1 for amplification,
  /// and if no server has answered. The first use may block for 0.2 s, as for `isOtherAudioPlaying`. Observable.
  public var outputVolume: Float {
    observations.note(.outputVolume)
    return surroundings.volume
  }

  // MARK: Calls by players and the system

  var allowsSound: Bool { state.withLock { $0.allowsSound } }

  var allowsBackgroundSound: Bool { state.withLock { $0.allowsBackgroundSound } }

  func pauseReason(isInBackground: Bool) -> EngineRateReason? {
    state.withLock { $0.pauseReason(isInBackground: isInBackground) }
  }

  /// Activates the session for a player that starts to play. Returns false if the session refuses.
  func activateForPlayback() -> Bool {
    guard let actions = try? state.withLock({ try $0.activate() }) else { return false }
    perform(actions)
    return true
  }

  /// Refuses activation until the end of an interruption whose beginning is reported later.
  package func expectInterruption() { state.withLock { $0.expectsInterruption = true } }

  func beginInterruption(_ reason: InterruptionReason) {
    perform(state.withLock { $0.beginInterruption(reason) })
  }

  func endInterruption(shouldResume: Bool) {
    perform(state.withLock { $0.endInterruption(shouldResume: shouldResume) })
  }

  /// Records that the output was opened, or moved to the sink of that name.
  package func outputOpened(sink: String) { perform(state.withLock { $0.outputOpened(sink: sink) }) }

  package func outputLost(_ cause: OutputError.Cause) { perform(state.withLock { $0.outputLost(cause) }) }

  /// Returns to the initial state when the application has ended, for the next launch.
  func reset() { state.withLock { $0.reset() } }

  private func change(
    _ body: (inout AudioSessionState) throws(AudioSessionError) -> [AudioSessionState.Action]
  ) throws {
    let actions: [AudioSessionState.Action]
    do throws(AudioSessionError) {
      actions = try state.withLock { state throws(AudioSessionError) in try body(&state) }
    } catch {
      throw error.asNSError
    }
    perform(actions)
  }

  private func perform(_ actions: [AudioSessionState.Action]) {
    for action in actions {
      switch action {
      case .postInterruptionBegan(let reason):
        let type = (AVAudioSessionInterruptionTypeKey, InterruptionType.began.rawValue)
        post(Self.interruptionNotification, type, (AVAudioSessionInterruptionReasonKey, reason.rawValue))
      case .postInterruptionEnded(let shouldResume):
        let options: InterruptionOptions = shouldResume ? .shouldResume : []
        let type = (AVAudioSessionInterruptionTypeKey, InterruptionType.ended.rawValue)
        post(Self.interruptionNotification, type, (AVAudioSessionInterruptionOptionKey, options.rawValue))
      case .postRouteChange(let reason, let previous):
        let route = AVAudioSessionRouteDescription(previous)
        post(
          Self.routeChangeNotification, (AVAudioSessionRouteChangeReasonKey, reason.rawValue),
          (AVAudioSessionRouteChangePreviousRouteKey, route))
      case .postServicesLost: post(Self.mediaServicesWereLostNotification)
      case .postServicesReset: post(Self.mediaServicesWereResetNotification)
      case .followSurroundings: followSurroundings()
      case .announceVolume:
        suspension.tellLater { [weak suspension, observations] in
          suspension?.change([], of: observations) {}
        }
      case .postSilenceHint(let begins):
        guard suspension.isInForeground else { break }
        let type: SilenceSecondaryAudioHintType = begins ? .begin : .end
        post(
          Self.silenceSecondaryAudioHintNotification,
          (AVAudioSessionSilenceSecondaryAudioHintTypeKey, type.rawValue))
      case .pausePlayers(let reason): suspension.pausePlayers(reason)
      case .rightsChanged: suspension.sessionChanged()
      }
    }
  }

  private func post(_ name: Notification.Name, _ entries: (String, any Sendable)...) {
    let userInfo = Dictionary(uniqueKeysWithValues: entries)
    suspension.tell { [weak self] in
      NotificationCenter.default.post(name: name, object: self, userInfo: userInfo)
    }
  }
}
