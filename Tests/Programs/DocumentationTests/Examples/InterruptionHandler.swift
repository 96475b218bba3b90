import Continuo
import Foundation

/// Plays on after an interruption, if it should.
@MainActor
final class InterruptionHandler {
  private let player: AVPlayer
  private var observer: (any NSObjectProtocol)?

  init(player: AVPlayer) {
    self.player = player
    observer = NotificationCenter.default.addObserver(
      forName: AVAudioSession.interruptionNotification, object: AVAudioSession.sharedInstance(), queue: nil
    ) { [weak self] notification in
      let type = notification.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt
      let options = notification.userInfo?[AVAudioSessionInterruptionOptionKey] as? UInt
      MainActor.assumeIsolated { self?.interrupted(type: type, options: options) }
    }
  }

  isolated deinit {
    if let observer { NotificationCenter.default.removeObserver(observer) }
  }

  private func interrupted(type: UInt?, options: UInt?) {
    guard type == AVAudioSession.InterruptionType.ended.rawValue else { return }
    let options = AVAudioSession.InterruptionOptions(rawValue: options ?? 0)
    if options.contains(.shouldResume) { player.play() }
  }
}
