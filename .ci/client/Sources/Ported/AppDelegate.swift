import BackgroundTasks
import UIKit

/// Usage: Ported FILE. Plays half a second of FILE and says where it was heard.
@main
final class AppDelegate: UIResponder, UIApplicationDelegate {
  private let places = Places()
  private var player: Player?

  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    BGTaskScheduler.shared.register(forTaskWithIdentifier: "refresh", using: nil) {
      $0.setTaskCompleted(success: true)
    }
    do {
      try useSoundInTheBackground()
    } catch {
      print("no sound: \(error)")
      return false
    }
    let player = Player(URL(fileURLWithPath: CommandLine.arguments[1]))
    self.player = player
    showOnLockScreen("Half a second") { player.pause() }
    player.play(0.5) { seconds in
      print("heard \(seconds) s on \(outputs.joined(separator: ", "))")
      exit(0)
    }
    return true
  }
}
