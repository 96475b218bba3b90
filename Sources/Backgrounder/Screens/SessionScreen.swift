import Continuo
import Dispatch
import Foundation
import Synchronization

/// Reports the end of the session to a web service when the application enters the background.
final class SessionScreen: Screen {
  private let makeService: () -> BackgroundCleanupService
  private var backgroundTask = UIBackgroundTaskIdentifier.invalid

  /// Creates a screen for a web service. Without one the call is simulated, and takes `seconds` seconds.
  init(service: WebService?, seconds: Double) {
    makeService = { BackgroundCleanupService(service: service, seconds: seconds) }
  }

  override func viewDidLoad() { print("Session begun") }

  override func didEnterBackground(_ application: UIApplication) {
    print("Application entered background state.")
    // A call is still in progress if the application has been in the foreground only briefly.
    guard backgroundTask == .invalid else { return }
    let service = makeService()
    let task = application.beginBackgroundTask(withName: "End of session") { [weak self] in
      // The service is not notified: that might take time, and none is left.
      service.cancel()
      self?.endTask(in: application)
    }
    backgroundTask = task
    // Runs later, after `applicationDidEnterBackground` has returned.
    DispatchQueue.main.async { [weak self] in
      guard let self else { return }
      guard application.backgroundTimeRemaining > 1 else { return self.endTask(in: application) }
      // Runs on another thread: on the main thread the expiration handler would have to wait for the service.
      DispatchQueue.global().async {
        service.run()
        DispatchQueue.main.async { [weak self] in
          MainActor.assumeIsolated {
            // A late response does not end the task of a subsequent call.
            if let self, self.backgroundTask == task { self.endTask(in: application) }
          }
        }
      }
    }
  }

  private func endTask(in application: UIApplication) {
    guard backgroundTask != .invalid else { return }
    application.endBackgroundTask(backgroundTask)
    backgroundTask = .invalid
  }
}

/// Ends the session at a web service, synchronously. For a single use.
final class BackgroundCleanupService: Sendable {
  /// The time limit for the service's response, in seconds.
  private static let timeout = 20.0
  /// The duration of a simulated call without a service, in seconds.
  private let seconds: Double
  private let call: Result<WebCall, any Error>?

  init(service: WebService?, seconds: Double) {
    self.seconds = seconds
    call = service.map { service in
      Result { WebCall(try service.request("/user/SESSIONKEY/endsession"), to: service) }
    }
  }

  /// Sends the request and prints the result. Blocks.
  func run() {
    do {
      let data = try requestEndOfSession()
      // Any other response comes from a service that has not ended the session.
      let response = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
      let success = response?["success"]
      let hasSucceeded = success != nil && success as? Bool != false && !(success is NSNull)
      print(hasSucceeded ? "Session ended" : "Error ending session")
    } catch WebCall.Problem.cancelled {
      // The task has expired, or the application has ended.
    } catch {
      print("Service error: \(error)")
    }
  }

  /// Makes `run` return immediately, and closes the connection.
  func cancel() { try? call?.get().cancel() }

  private func requestEndOfSession() throws -> Data {
    guard let call else {
      Thread.sleep(forTimeInterval: seconds)
      return Data(#"{"success": true}"#.utf8)
    }
    return Data(try call.get().answer(within: Self.timeout).body)
  }
}
