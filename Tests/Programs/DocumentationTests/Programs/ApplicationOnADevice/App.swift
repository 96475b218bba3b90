import Continuo
import Foundation

/// Plays songs from its launch on. Each time it leaves the front it tells a server so.
final class App: UIApplicationDelegate {
  private let songs: [URL]
  private let clock: any Clock<Duration>
  private(set) var player = AVQueuePlayer()
  private var task = UIBackgroundTaskIdentifier.invalid

  init(songs: [URL], clock: any Clock<Duration> = ContinuousClock()) {
    self.songs = songs
    self.clock = clock
  }

  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    do {
      try AVAudioSession.sharedInstance().setCategory(.playback)
    } catch {
      print("No background sound: \(error)")
    }
    player = AVQueuePlayer(items: songs.map { AVPlayerItem(url: $0) })
    player.play()
    return true
  }

  func applicationDidEnterBackground(_ application: UIApplication) {
    guard task == .invalid else { return }  // Back again before the last goodbye was said.
    task = application.beginBackgroundTask(withName: "goodbye") { self.endTask() }
    Task {
      try await clock.sleep(for: .milliseconds(500))  // Here a request would be sent.
      endTask()
    }
  }

  private func endTask() {
    UIApplication.shared.endBackgroundTask(task)
    task = .invalid
  }
}
