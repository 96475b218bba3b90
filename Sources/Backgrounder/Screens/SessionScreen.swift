import Continuo
import Dispatch
import Foundation
import Synchronization

/// Tells a web service that the session is over when the application enters the background.
final class SessionScreen: Screen {
  private let makeService: () -> BackgroundCleanupService
  private var backgroundTask = UIBackgroundTaskIdentifier.invalid

  /// A screen with that web service; without one it only takes so many seconds.
  init(service: WebService?, seconds: Double) {
    makeService = { BackgroundCleanupService(service: service, seconds: seconds) }
  }

  override func viewDidLoad() { print("Session begun") }

  override func didEnterBackground(_ application: UIApplication) {
    print("Application entered background state.")
    // Back in front and away again meanwhile: the service is being called.
    guard backgroundTask == .invalid else { return }
    let service = makeService()
    let task = application.beginBackgroundTask(withName: "End of session") { [weak self] in
      // Without a word to the service: that might take time, of which there is none.
      service.cancel()
      self?.endTask(in: application)
    }
    backgroundTask = task
    // Runs later, when `applicationDidEnterBackground` has returned.
    DispatchQueue.main.async { [weak self] in
      guard let self else { return }
      guard application.backgroundTimeRemaining > 1 else { return self.endTask(in: application) }
      // Not on the main thread, where the expiration handler would have to wait for the service.
      DispatchQueue.global().async {
        service.run()
        DispatchQueue.main.async { [weak self] in
          MainActor.assumeIsolated {
            // A call that came too late does not end the task of the one after it.
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

/// Ends the session at a web service, synchronously. For one use.
final class BackgroundCleanupService: Sendable {
  /// Seconds for the service to answer.
  private static let timeout = 20.0
  /// How long the service takes where there is none.
  private let seconds: Double
  private let call: Result<WebCall, any Error>?

  init(service: WebService?, seconds: Double) {
    self.seconds = seconds
    call = service.map { service in
      Result { WebCall(try service.request("/user/SESSIONKEY/endsession"), to: service) }
    }
  }

  /// Makes the request and says what came of it. Blocks.
  func run() {
    do {
      let data = try requestEndOfSession()
      // Anything that is no such answer is one of a service that did not end the session.
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

  /// Has `run` return at once, and closes the connection.
  func cancel() { try? call?.get().cancel() }

  private func requestEndOfSession() throws -> Data {
    guard let call else {
      Thread.sleep(forTimeInterval: seconds)
      return Data(#"{"success": true}"#.utf8)
    }
    return Data(try call.get().answer(within: Self.timeout).body)
  }
}
