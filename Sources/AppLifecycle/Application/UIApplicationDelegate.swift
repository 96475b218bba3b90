/// Receives the calls into an application, on the main queue. Every method is optional.
///
/// `LifecycleSettings` has the time limit of each call. An application that exceeds one is terminated.
@preconcurrency @MainActor
public protocol UIApplicationDelegate: AnyObject {
  /// The application is being launched. The result is ignored.
  func application(
    _ application: UIApplication,
    willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool

  /// The application was launched. The result is ignored.
  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool

  /// The application is in front and receives input.
  func applicationDidBecomeActive(_ application: UIApplication)

  /// The application is about to be interrupted or sent to the background.
  func applicationWillResignActive(_ application: UIApplication)

  /// The application is no longer visible. When this has returned it is suspended, unless something keeps it running. A
  /// background task that a thread of the application begins within `LifecycleSettings.suspensionGrace` from then on takes
  /// the suspension back.
  func applicationDidEnterBackground(_ application: UIApplication)

  /// The application is about to come to the front.
  func applicationWillEnterForeground(_ application: UIApplication)

  /// The application is about to be terminated. Never called on a suspended application.
  func applicationWillTerminate(_ application: UIApplication)

  /// Memory is short.
  func applicationDidReceiveMemoryWarning(_ application: UIApplication)

  /// Fetches new content and then calls `completionHandler`, on any thread, within
  /// `LifecycleSettings.fetchLimit`.
  func application(
    _ application: UIApplication,
    performFetchWithCompletionHandler completionHandler:
      @escaping @Sendable (UIBackgroundFetchResult) -> Void
  )

  /// The transfers of the background session with this identifier are done, or need the application. It makes the session
  /// again if it has not got it, and calls `completionHandler`, on any thread, when the session's delegate has had all
  /// messages (`urlSessionDidFinishEvents(forBackgroundURLSession:)`), within `LifecycleSettings.sessionEventsLimit`.
  func application(
    _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
    completionHandler: @escaping @Sendable () -> Void
  )
}

extension UIApplicationDelegate {
  /// Returns true by default.
  public func application(
    _ application: UIApplication,
    willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool { true }
  /// Returns true by default.
  public func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool { true }
  /// Does nothing by default.
  public func applicationDidBecomeActive(_ application: UIApplication) {}
  /// Does nothing by default.
  public func applicationWillResignActive(_ application: UIApplication) {}
  /// Does nothing by default.
  public func applicationDidEnterBackground(_ application: UIApplication) {}
  /// Does nothing by default.
  public func applicationWillEnterForeground(_ application: UIApplication) {}
  /// Does nothing by default.
  public func applicationWillTerminate(_ application: UIApplication) {}
  /// Does nothing by default.
  public func applicationDidReceiveMemoryWarning(_ application: UIApplication) {}
  /// Completes with `.noData` by default.
  public func application(
    _ application: UIApplication,
    performFetchWithCompletionHandler completionHandler:
      @escaping @Sendable (UIBackgroundFetchResult) -> Void
  ) { completionHandler(.noData) }
  /// Completes at once by default.
  public func application(
    _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
    completionHandler: @escaping @Sendable () -> Void
  ) { completionHandler() }
}
