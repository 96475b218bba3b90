public import Foundation

/// The receiver of calls into an application, on the main queue. Every method is optional.
///
/// `LifecycleSettings` contains the time limit of each call. An application that exceeds a limit is
/// terminated.
@preconcurrency @MainActor
public protocol UIApplicationDelegate: AnyObject {
  /// The application is being launched. The result is ignored.
  func application(
    _ application: UIApplication,
    willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool

  /// The application has launched. The result is ignored.
  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool

  /// The application is in the foreground and receives input.
  func applicationDidBecomeActive(_ application: UIApplication)

  /// The application is about to be interrupted or to leave the foreground.
  func applicationWillResignActive(_ application: UIApplication)

  /// The application is in the background. After the return the application is suspended unless something
  /// keeps it running. A background task begun within `LifecycleSettings.suspensionGrace` after the return
  /// reverses the suspension.
  func applicationDidEnterBackground(_ application: UIApplication)

  /// The application is about to enter the foreground.
  func applicationWillEnterForeground(_ application: UIApplication)

  /// The application is about to be terminated. Not called for a fault, and never on a suspended application.
  func applicationWillTerminate(_ application: UIApplication)

  /// Memory is running low.
  func applicationDidReceiveMemoryWarning(_ application: UIApplication)

  /// Fetches new content, then calls `completionHandler`, on any thread and within
  /// `LifecycleSettings.fetchLimit`.
  func application(
    _ application: UIApplication,
    performFetchWithCompletionHandler completionHandler: @escaping @Sendable (UIBackgroundFetchResult) -> Void
  )

  /// Reports that the transfers of the background session with this identifier are complete, or that a transfer waits
  /// for an answer of the application. The application re-creates the session if necessary. Once the session's delegate
  /// has received all messages (`urlSessionDidFinishEvents(forBackgroundURLSession:)`), the application calls
  /// `completionHandler`, on any thread and within `LifecycleSettings.sessionEventsLimit`.
  func application(
    _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
    completionHandler: @escaping @Sendable () -> Void)
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
    performFetchWithCompletionHandler completionHandler: @escaping @Sendable (UIBackgroundFetchResult) -> Void
  ) { completionHandler(.noData) }
  /// Completes immediately by default, and records that the events were not handled. The session's delegate
  /// is then not called before the next launch or resumption, unless something else keeps the application
  /// running.
  public func application(
    _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
    completionHandler: @escaping @Sendable () -> Void
  ) {
    application.device?.handle(.sessionEventsIgnored(identifier), as: .application)
    completionHandler()
  }
}

/// The base class of an application's delegate. It handles no events; it guarantees an initializer without
/// arguments, which `@main` and `UIApplicationMain` need.
@preconcurrency @MainActor
open class UIResponder: NSObject {
  /// Creates a responder. An override must be marked `required`.
  nonisolated public required override init() { super.init() }
}
