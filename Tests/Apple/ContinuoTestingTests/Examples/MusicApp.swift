import Continuo
import Foundation

/// Plays songs from its launch on.
final class MusicApp: UIApplicationDelegate {
  private let songs: [URL]
  private var player: AVQueuePlayer?

  init(songs: [URL]) { self.songs = songs }

  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    try? AVAudioSession.sharedInstance().setCategory(.playback)
    player = AVQueuePlayer(items: songs.map { AVPlayerItem(url: $0) })
    player?.play()
    return true
  }
}
