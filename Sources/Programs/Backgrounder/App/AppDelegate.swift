import Continuo
import Foundation

/// The application's delegate, with its tabs.
class AppDelegate: NSObject, UIApplicationDelegate {
  /// The screens of the tabs. An application with one screen has one tab.
  let tabs: [Screen]
  /// The screen of the selected tab.
  private(set) var screen: Screen?

  init(tabs: [Screen]) {
    self.tabs = tabs
    screen = tabs.first
    super.init()
  }

  /// Selects a tab; the first is number 0. Without effect if there is no such tab.
  func select(tab: Int) {
    guard tabs.indices.contains(tab) else { return }
    screen = tabs[tab]
    screen?.show()
  }

  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    application.setMinimumBackgroundFetchInterval(UIApplication.backgroundFetchIntervalMinimum)
    screen?.show()
    return true
  }

  func application(
    _ application: UIApplication,
    performFetchWithCompletionHandler completionHandler: @escaping @Sendable (UIBackgroundFetchResult) -> Void
  ) {
    guard let fetchScreen = tabs.lazy.compactMap({ $0 as? FetchScreen }).first else {
      return completionHandler(.noData)
    }
    fetchScreen.fetch { result in
      fetchScreen.updateUI()
      completionHandler(result)
    }
  }

  func applicationDidEnterBackground(_ application: UIApplication) {
    for screen in tabs where screen.isLoaded { screen.didEnterBackground(application) }
  }

  func applicationWillEnterForeground(_ application: UIApplication) {
    for screen in tabs where screen.isLoaded { screen.willEnterForeground() }
  }
}
