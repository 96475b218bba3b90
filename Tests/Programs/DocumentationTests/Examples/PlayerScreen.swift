import Continuo
import Foundation

/// What is left of a button without a screen. A key, a request from the network or a test presses it.
@MainActor
final class Button {
  var action: () -> Void = {}
  func press() { action() }
}

/// What was a view controller.
@MainActor
final class PlayerScreen {
  let playButton = Button()
  private(set) var timeLabel = ""
  private let player: AVPlayer
  private var timeObserver: Any?

  // What was in viewDidLoad().
  init(player: AVPlayer) {
    self.player = player
    // In place of addTarget(self, action: #selector(playPauseTapped), for: .touchUpInside).
    playButton.action = { [weak self] in self?.playPauseTapped() }
    // In place of a CADisplayLink that reads currentTime().
    timeObserver = player.addPeriodicTimeObserver(
      forInterval: CMTime(value: 1, timescale: 60), queue: .main
    ) { [weak self] time in
      MainActor.assumeIsolated { self?.timeLabel = String(format: "%.1f", time.seconds) }
    }
  }

  isolated deinit {
    if let timeObserver { player.removeTimeObserver(timeObserver) }
  }

  // What was an @objc func or an @IBAction.
  private func playPauseTapped() {
    if player.timeControlStatus == .paused { player.play() } else { player.pause() }
  }
}
