import AudioCore
public import Foundation
import PlaybackEngine
import Synchronization

/// What an application's sound is to the system: whether it goes on in the background, what interrupts it, where it
/// goes.
///
/// Every environment has one, which all its players share. Any thread; nothing blocks. Notifications are posted on the
/// environment's main queue, and held back while the application is suspended.
///
/// A player that is told to play activates an inactive session. It stays active until it is deactivated, interrupted, or
/// the application ended; suspension leaves it as it is, because players go on by themselves after it.
public final class AVAudioSession: NSObject, Sendable {
  private let state = Mutex(AudioSessionState())
  private let suspension: PlaybackSuspension

  init(suspension: PlaybackSuspension) {
    self.suspension = suspension
    super.init()
    suspension.state.withLock { $0.session = self }
  }

  /// The session of `PlaybackEnvironment.current`.
  public static func sharedInstance() -> AVAudioSession { PlaybackEnvironment.current.audioSession }

  // MARK: Category

  /// What the sound is to the user; `soloAmbient` before it is set.
  public var category: Category { state.withLock { $0.category } }

  /// What kind of sound it is; `default` before it is set.
  public var mode: Mode { state.withLock { $0.mode } }

  /// What was set with the category.
  public var categoryOptions: CategoryOptions { state.withLock { $0.options } }

  /// What was set with the category; `default` before.
  public var routeSharingPolicy: RouteSharingPolicy { state.withLock { $0.policy } }

  /// The categories that can be set: those without an input.
  public var availableCategories: [Category] { [.ambient, .soloAmbient, .playback] }

  /// The modes that can be set, with one category or another.
  public var availableModes: [Mode] { [.default, .spokenAudio, .moviePlayback, .measurement, .voicePrompt] }

  /// Sets the category. Another one than before begins without options; the mode stays if it goes with it, and is
  /// `default` else.
  ///
  /// - Throws: an `NSError` with an `ErrorCode`: `resourceNotAvailable` for categories that need an input, `badParam` for
  ///   what is no category.
  public func setCategory(_ category: Category) throws {
    try change { state throws(AudioSessionError) in try state.setCategory(category) }
  }

  /// Sets category and options.
  ///
  /// - Throws: as `setCategory(_:)`; `badParam` for options that need a microphone or do not go with the category.
  public func setCategory(_ category: Category, options: CategoryOptions = []) throws {
    try change { state throws(AudioSessionError) in try state.setCategory(category, options: options) }
  }

  /// Sets category, mode and options.
  ///
  /// - Throws: as `setCategory(_:options:)`; `incompatibleCategory` for a mode that does not go with the category,
  ///   `resourceNotAvailable` for one that needs an input.
  public func setCategory(_ category: Category, mode: Mode, options: CategoryOptions = []) throws {
    try change { state throws(AudioSessionError) in
      try state.setCategory(category, mode: mode, options: options)
    }
  }

  /// Sets category, mode, policy and options.
  ///
  /// - Throws: as `setCategory(_:mode:options:)`; `badParam` for a long-form policy with another category than
  ///   `playback`, another mode than `default`, `moviePlayback` and `spokenAudio`, or any option, and for
  ///   `independent`.
  public func setCategory(
    _ category: Category, mode: Mode, policy: RouteSharingPolicy, options: CategoryOptions = []
  ) throws {
    try change { state throws(AudioSessionError) in
      try state.setCategory(category, mode: mode, policy: policy, options: options)
    }
  }

  /// Sets the mode.
  ///
  /// - Throws: as `setCategory(_:mode:options:)`.
  public func setMode(_ mode: Mode) throws {
    try change { state throws(AudioSessionError) in
      try state.setMode(mode)
      return []
    }
  }

  // MARK: Activity

  /// Whether the session is active. Apple's has no such member; the rules of its activity are Apple's.
  public var isActive: Bool { state.withLock { $0.isActive } }

  /// Whether an interruption lasts: the session cannot be activated, and players do not play. From before `began` is
  /// posted until before `ended` is. Apple's has no such member.
  public var isInterrupted: Bool { state.withLock { $0.isInterrupted } }

  /// Activates or deactivates the session. Deactivating pauses its players, without error (as since iOS 26; before, it
  /// also threw `isBusy` then). The option is for others, of which there are none here.
  ///
  /// - Throws: an `NSError` with the `ErrorCode` `insufficientPriority` when it is to be activated while it is
  ///   interrupted.
  public func setActive(_ active: Bool, options: SetActiveOptions = []) throws {
    try change { state throws(AudioSessionError) in
      active ? try state.activate() : state.deactivate()
    }
  }

  // MARK: Route

  /// Where sound goes.
  public var currentRoute: AVAudioSessionRouteDescription {
    AVAudioSessionRouteDescription(sink: state.withLock { $0.sink })
  }

  /// Frames per second on the way to the output; 0 while no output is open.
  public var sampleRate: Double { suspension.outputProperties.map { Double($0.sampleRate) } ?? 0 }

  /// Seconds from the player to the ear; 0 while no output is open.
  public var outputLatency: TimeInterval { suspension.outputProperties?.latency ?? 0 }

  // MARK: For players and the system

  /// Whether players may sound in the background.
  var allowsBackgroundSound: Bool { state.withLock { $0.allowsBackgroundSound } }

  /// A player is to play: activates the session. False if it cannot be.
  func activateForPlayback() -> Bool {
    do throws(AudioSessionError) {
      perform(try state.withLock { state throws(AudioSessionError) in try state.activate() })
      return true
    } catch {
      return false
    }
  }

  func beginInterruption(_ reason: InterruptionReason) {
    perform(state.withLock { $0.beginInterruption(reason) })
  }

  func endInterruption(shouldResume: Bool) {
    perform(state.withLock { $0.endInterruption(shouldResume: shouldResume) })
  }

  func outputOpened(sink: String) { perform(state.withLock { $0.outputOpened(sink: sink) }) }

  func outputLost(_ cause: OutputError.Cause) { perform(state.withLock { $0.outputLost(cause) }) }

  /// The application ended: the next one begins anew.
  func reset() { state.withLock { $0 = AudioSessionState() } }

  // MARK: Carrying it out

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
        post(
          Self.interruptionNotification,
          [
            AVAudioSessionInterruptionTypeKey: InterruptionType.began.rawValue,
            AVAudioSessionInterruptionReasonKey: reason.rawValue,
          ])
      case .postInterruptionEnded(let shouldResume):
        let options: InterruptionOptions = shouldResume ? .shouldResume : []
        post(
          Self.interruptionNotification,
          [
            AVAudioSessionInterruptionTypeKey: InterruptionType.ended.rawValue,
            AVAudioSessionInterruptionOptionKey: options.rawValue,
          ])
      case .postRouteChange(let reason, let previous):
        post(
          Self.routeChangeNotification,
          [
            AVAudioSessionRouteChangeReasonKey: reason.rawValue,
            AVAudioSessionRouteChangePreviousRouteKey: AVAudioSessionRouteDescription(sink: previous),
          ])
      case .postServicesLost: post(Self.mediaServicesWereLostNotification)
      case .postServicesReset: post(Self.mediaServicesWereResetNotification)
      case .pausePlayers(let reason): suspension.pausePlayers(reason)
      case .rightsChanged: suspension.sessionChanged()
      }
    }
  }

  private func post(_ name: Notification.Name, _ userInfo: [String: any Sendable] = [:]) {
    suspension.tell { [weak self] in
      NotificationCenter.default.post(name: name, object: self, userInfo: userInfo)
    }
  }
}
