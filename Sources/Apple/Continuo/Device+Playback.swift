public import AppLifecycle
public import AudioSession

extension Device {
  /// Seconds for which players that wait for the output or a file still count as playing.
  static let starvationGrace = 5.0
  /// Seconds for which players that wait for network media still count as playing, for example in a tunnel.
  static let networkGrace = 30.0

  /// Connects the players and the audio session of `environment` to the application on this device. The
  /// players are suspended, resumed, interrupted and terminated with it; snapshots of them are kept for the
  /// next launch. Players whose session does not allow background audio pause in the background.
  ///
  /// Playing players keep an application with the mode `audio` running if their session is active and its
  /// category allows background audio (`playback`, `playAndRecord` or `multiRoute`); also for 5 s while they
  /// wait for the output or a file, and for 30 s for the network. A suspended player that was waiting
  /// continues automatically when the application runs again.
  ///
  /// Must be called once for each environment, before the launch; permanent. Any thread; does not block.
  public func connect(_ environment: PlaybackEnvironment = .current) {
    add(ConnectedPlayback(environment))
    let tell: @Sendable (PlaybackActivity) -> Void = { [weak self] activity in
      // Only waiting players get a grace period, in which they usually resume. A queue that advances stays
      // `playing`.
      let grace =
        switch activity {
        case .stopped, .playing: 0.0
        case .waiting: Self.starvationGrace
        case .waitingForNetwork: Self.networkGrace
        }
      self?.setKeeping(.audio, activity == .playing, grace: grace)
    }
    environment.suspension.onKeepingActivityChange = tell
  }
}

/// The players of an environment as a part of the application's life cycle.
private final class ConnectedPlayback: Suspendable {
  private let environment: PlaybackEnvironment

  init(_ environment: PlaybackEnvironment) { self.environment = environment }

  func suspend() { environment.suspension.suspendAll() }
  var isStill: Bool { environment.suspension.isStill }
  func resume() { environment.suspension.resumeAll() }
  func enterBackground() { environment.suspension.enterBackground() }
  func enterForeground() { environment.suspension.enterForeground() }
  func expectInterruption() { environment.audioSession.expectInterruption() }
  func beginInterruption() { environment.beginInterruption() }
  func endInterruption(shouldResume: Bool) { environment.endInterruption(shouldResume: shouldResume) }
  func terminate() { environment.suspension.terminateAll() }
  func launch() { environment.suspension.launch() }
}
