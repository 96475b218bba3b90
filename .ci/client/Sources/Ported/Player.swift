import AVFoundation
import CoreMedia

/// Plays one file, and tells when so much of it was heard.
@MainActor
final class Player {
  private let player: AVQueuePlayer
  private var observer: Any?

  init(_ url: URL) { player = AVQueuePlayer(items: [AVPlayerItem(url: url)]) }

  func play(_ seconds: Double, completion: @escaping @MainActor @Sendable (Double) -> Void) {
    let step = CMTime(value: 1, timescale: 100)
    observer = player.addPeriodicTimeObserver(forInterval: step, queue: .main) { time in
      guard time.seconds >= seconds else { return }
      MainActor.assumeIsolated { completion(time.seconds) }
    }
    player.play()
  }

  func pause() { player.pause() }
}
