public import AppLifecycle
public import QueuePlayer

extension Device {
  /// How many seconds players that starve, or have lost their server, count as playing still.
  static let starvationGrace = 5.0

  /// Joins the players of `environment`, and its audio session, with the application on this device: they are suspended
  /// and resumed with it, paused where their category does not let them sound in the background, interrupted with it,
  /// ended and (as snapshots) kept for the next launch; and while they really play, with an active session of the
  /// category `playback`, they keep an application with the mode `audio` running.
  ///
  /// Once for each environment, before the launch; for good.
  public func connect(_ environment: PlaybackEnvironment = .current) {
    add(ConnectedPlayback(environment))
    let tell: @Sendable (PlaybackActivity) -> Void = { [weak self] activity in
      // A queue that advances goes on playing; what waits will play again by itself, and soon, or not at all.
      self?.setKeeping(
        .audio, activity == .playing, grace: activity == .waiting ? Self.starvationGrace : 0)
    }
    environment.suspension.onKeepingActivityChange = tell
    tell(environment.suspension.keepingActivity)
  }
}

/// The players of an environment as the life cycle sees them.
private final class ConnectedPlayback: Suspendable {
  private let environment: PlaybackEnvironment

  init(_ environment: PlaybackEnvironment) { self.environment = environment }

  func suspend() { environment.suspension.suspendAll() }
  func resume() { environment.suspension.resumeAll() }
  func enterBackground() { environment.suspension.enterBackground() }
  func enterForeground() { environment.suspension.enterForeground() }
  func beginInterruption() { environment.beginInterruption() }
  func endInterruption(shouldResume: Bool) { environment.endInterruption(shouldResume: shouldResume) }
  func terminate() { environment.suspension.terminateAll() }
  func launch() { environment.suspension.launch() }
}
