/// Gets the calls into an application, on the main queue. Every method can be left out.
///
/// The time each has is in `LifecycleSettings`; one that takes longer costs the application its life.
@preconcurrency @MainActor
public protocol UIApplicationDelegate: AnyObject {
  /// It is being started. The result is of no consequence.
  func application(
    _ application: UIApplication,
    willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool

  /// It was started. The result is of no consequence.
  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool

  /// It is in front and takes input.
  func applicationDidBecomeActive(_ application: UIApplication)

  /// It is about to be interrupted or sent to the background.
  func applicationWillResignActive(_ application: UIApplication)

  /// It is out of sight, and suspended soon after this has returned, unless something keeps it running.
  func applicationDidEnterBackground(_ application: UIApplication)

  /// It is on its way to the front.
  func applicationWillEnterForeground(_ application: UIApplication)

  /// It is about to be ended. Never called on a suspended application.
  func applicationWillTerminate(_ application: UIApplication)

  /// Memory is short.
  func applicationDidReceiveMemoryWarning(_ application: UIApplication)

  /// It is to fetch a little and then to call `completionHandler`, on any thread, within
  /// `LifecycleSettings.fetchLimit`.
  func application(
    _ application: UIApplication,
    performFetchWithCompletionHandler completionHandler: @escaping @Sendable (UIBackgroundFetchResult) -> Void
  )
}

extension UIApplicationDelegate {
  /// Nothing.
  public func application(
    _ application: UIApplication,
    willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool { true }
  /// Nothing.
  public func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool { true }
  /// Nothing.
  public func applicationDidBecomeActive(_ application: UIApplication) {}
  /// Nothing.
  public func applicationWillResignActive(_ application: UIApplication) {}
  /// Nothing.
  public func applicationDidEnterBackground(_ application: UIApplication) {}
  /// Nothing.
  public func applicationWillEnterForeground(_ application: UIApplication) {}
  /// Nothing.
  public func applicationWillTerminate(_ application: UIApplication) {}
  /// Nothing.
  public func applicationDidReceiveMemoryWarning(_ application: UIApplication) {}
  /// Completes with `.noData`.
  public func application(
    _ application: UIApplication,
    performFetchWithCompletionHandler completionHandler: @escaping @Sendable (UIBackgroundFetchResult) -> Void
  ) { completionHandler(.noData) }
}
