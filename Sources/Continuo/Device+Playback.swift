public import AppLifecycle
public import QueuePlayer

extension Device {
  /// For how many seconds players that starve or have lost their server still count as playing.
  static let starvationGrace = 5.0
  /// The same for players that wait for media from the network, as on a train in a tunnel.
  static let networkGrace = 30.0

  /// Connects the players of `environment` and its audio session with the application on this device. They
  /// are suspended, resumed, interrupted and ended with the application; snapshots of them are kept for the
  /// next launch. Players pause in the background if their session does not allow sound there. While they
  /// play, with an active session whose category may sound in the background (`playback`, `playAndRecord` or
  /// `multiRoute`), they keep an application with the mode `audio` running; and for 5 s while they wait for the output, for
  /// 30 s while they wait for the network. A suspended player that waited goes on by itself when the application runs again.
  ///
  /// To be called once for each environment, before the launch. The connection is permanent. Any thread; does
  /// not block.
  public func connect(_ environment: PlaybackEnvironment = .current) {
    add(ConnectedPlayback(environment))
    let tell: @Sendable (PlaybackActivity) -> Void = { [weak self] activity in
      // A queue that advances stays `playing`. A player that waits usually resumes within the grace.
      let grace =
        switch activity {
        case .stopped, .playing: 0.0
        case .waiting: Self.starvationGrace
        case .waitingForNetwork: Self.networkGrace
        }
      self?.setKeeping(.audio, activity == .playing, grace: grace)
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
