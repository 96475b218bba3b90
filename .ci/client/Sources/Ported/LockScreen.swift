import MediaPlayer

/// What the lock screen shows, and its pause button.
func showOnLockScreen(_ title: String, pause: @escaping @MainActor @Sendable () -> Void) {
  MPNowPlayingInfoCenter.default().nowPlayingInfo = [MPMediaItemPropertyTitle: title]
  MPRemoteCommandCenter.shared().pauseCommand.addTarget { _ in
    Task { @MainActor in pause() }
    return .success
  }
}
