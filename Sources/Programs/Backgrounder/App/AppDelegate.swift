import Continuo
import Foundation

/// The application's delegate, with its only screen.
class AppDelegate: NSObject, UIApplicationDelegate {
  let screen: Screen

  init(screen: Screen) {
    self.screen = screen
    super.init()
  }

  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    application.setMinimumBackgroundFetchInterval(UIApplication.backgroundFetchIntervalMinimum)
    screen.viewDidLoad()
    return true
  }

  func application(
    _ application: UIApplication,
    performFetchWithCompletionHandler completionHandler: @escaping @Sendable (UIBackgroundFetchResult) -> Void
  ) {
    guard let fetchScreen = screen as? FetchScreen else { return completionHandler(.noData) }
    fetchScreen.fetch { result in
      fetchScreen.updateUI()
      completionHandler(result)
    }
  }

  func applicationDidEnterBackground(_ application: UIApplication) { screen.didEnterBackground(application) }

  func applicationWillEnterForeground(_ application: UIApplication) { screen.willEnterForeground() }
}
