import ContinuoTesting
import Foundation

/// An application that writes down each call of its delegate and each notification, and does what a test wants in
/// them.
@MainActor
final class ObservantApp: UIApplicationDelegate {
  private unowned let device: TestDevice
  private var observers: [any NSObjectProtocol] = []

  var onLaunch: (() -> Void)?
  var onResignActive: (() -> Void)?
  var onEnterBackground: (() -> Void)?
  var onTerminate: (() -> Void)?
  var onFetch: ((@escaping @Sendable (UIBackgroundFetchResult) -> Void) -> Void)?

  init(on device: TestDevice) {
    self.device = device
    observe(UIApplication.didFinishLaunchingNotification, "didFinishLaunching")
    observe(UIApplication.didBecomeActiveNotification, "didBecomeActive")
    observe(UIApplication.willResignActiveNotification, "willResignActive")
    observe(UIApplication.didEnterBackgroundNotification, "didEnterBackground")
    observe(UIApplication.willEnterForegroundNotification, "willEnterForeground")
    observe(UIApplication.willTerminateNotification, "willTerminate")
    observe(UIApplication.didReceiveMemoryWarningNotification, "didReceiveMemoryWarning")
  }

  isolated deinit { observers.forEach(NotificationCenter.default.removeObserver) }

  private func observe(_ name: Notification.Name, _ text: String) {
    let observer = NotificationCenter.default.addObserver(
      forName: name, object: device.application, queue: .main
    ) { [device] _ in device.note("notification \(text)") }
    observers.append(observer)
  }

  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    device.note("delegate didFinishLaunching")
    onLaunch?()
    return true
  }

  func applicationDidBecomeActive(_ application: UIApplication) { device.note("delegate didBecomeActive") }

  func applicationWillResignActive(_ application: UIApplication) {
    device.note("delegate willResignActive")
    onResignActive?()
  }

  func applicationDidEnterBackground(_ application: UIApplication) {
    device.note("delegate didEnterBackground")
    onEnterBackground?()
  }

  func applicationWillEnterForeground(_ application: UIApplication) {
    device.note("delegate willEnterForeground")
  }

  func applicationWillTerminate(_ application: UIApplication) {
    device.note("delegate willTerminate")
    onTerminate?()
  }

  func applicationDidReceiveMemoryWarning(_ application: UIApplication) {
    device.note("delegate didReceiveMemoryWarning")
  }

  func application(
    _ application: UIApplication,
    performFetchWithCompletionHandler completionHandler: @escaping @Sendable (UIBackgroundFetchResult) -> Void
  ) {
    device.note("delegate performFetch")
    if let onFetch { onFetch(completionHandler) } else { completionHandler(.noData) }
  }
}

extension TestDevice {
  /// Launches an observant application, lets a second pass and returns it.
  @discardableResult
  func launchApp() async -> ObservantApp {
    let app = ObservantApp(on: self)
    await launch(app)
    await advance(by: .seconds(1))
    return app
  }

  /// What came since that moment, without the system's own account of its calls: states and what the application saw.
  func seen(since moment: Duration) -> String {
    record.since(moment).only("state", "delegate", "notification", "interruption").description
  }
}
