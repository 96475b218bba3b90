import ArgumentParser
import Continuo

/// A fault of the application. For most of them the watchdog terminates the application.
enum Misbehaviour: String, CaseIterable, ExpressibleByArgument {
  /// Does not return from `applicationDidEnterBackground` in time.
  case blockBackground = "block-background"
  /// Begins a background task and never ends it.
  case neverEndTask = "never-end-task"
  /// Does not return from an expiration handler in time.
  case hangExpiration = "hang-expiration"
  /// Never completes a background fetch.
  case neverCompleteFetch = "never-complete-fetch"
  /// Waits for a web service in `applicationDidEnterBackground`.
  case waitForNetwork = "wait-for-network"
  /// Leaves the listening socket open in the background.
  case leaveOpen = "leave-open"
}

/// An application with one fault.
final class MisbehavingAppDelegate: AppDelegate {
  private let misbehaviour: Misbehaviour
  private let hang: Double
  private let parts: ScreenParts

  /// `hang` is the time in seconds for which a call does not return.
  init(tabs: [Screen], _ parts: ScreenParts, misbehaviour: Misbehaviour, hang: Double) {
    self.misbehaviour = misbehaviour
    self.hang = hang
    self.parts = parts
    super.init(tabs: tabs)
  }

  override func applicationDidEnterBackground(_ application: UIApplication) {
    let (block, print) = (parts.block, parts.print)
    if misbehaviour == .waitForNetwork {
      print("Application entered background state.")
      return BackgroundCleanupService(parts).runBlocking()
    }
    super.applicationDidEnterBackground(application)
    switch misbehaviour {
    case .blockBackground:
      print("Blocking the main thread")
      block(hang)
      print("No longer blocking the main thread")
    case .neverEndTask:
      _ = application.beginBackgroundTask(withName: "Endless") { print("Out of time, but not ending") }
    case .hangExpiration:
      _ = application.beginBackgroundTask(withName: "Hanging") { [hang] in
        print("Hanging in the expiration handler")
        block(hang)
        print("No longer hanging")
      }
    case .neverCompleteFetch, .waitForNetwork, .leaveOpen: break
    }
  }

  override func application(
    _ application: UIApplication,
    performFetchWithCompletionHandler completionHandler: @escaping @Sendable (UIBackgroundFetchResult) -> Void
  ) {
    if misbehaviour == .neverCompleteFetch { return parts.print("Fetching for ever") }
    super.application(application, performFetchWithCompletionHandler: completionHandler)
  }
}
