import Continuo
import Dispatch
import Foundation
import Synchronization

/// Reports the end of the session to a web service when the application enters the background.
final class SessionScreen: Screen {
  private var backgroundTask = UIBackgroundTaskIdentifier.invalid

  override func viewDidLoad() { print("Session begun") }

  override func didEnterBackground(_ application: UIApplication) {
    print("Application entered background state.")
    // A call is still in progress if the application has been in the foreground only briefly.
    guard backgroundTask == .invalid else { return }
    let service = BackgroundCleanupService(parts)
    let task = application.beginBackgroundTask(withName: "End of session") { [weak self] in
      // The service is not notified, because that might take time, and none is left.
      service.cancel()
      self?.endTask(in: application)
    }
    backgroundTask = task
    // Runs later, when `applicationDidEnterBackground` has returned.
    Task { [weak self] in
      guard self != nil else { return }
      if application.backgroundTimeRemaining > 1 { await service.run() }
      // If the call took so long that a later call has begun a task of its own, that task stays open.
      if let self, self.backgroundTask == task { self.endTask(in: application) }
    }
  }

  private func endTask(in application: UIApplication) {
    guard backgroundTask != .invalid else { return }
    application.endBackgroundTask(backgroundTask)
    backgroundTask = .invalid
  }
}

/// Ends the session at a web service by one request. For a single use.
final class BackgroundCleanupService: Sendable {
  private let parts: ScreenParts
  private let print: Printer
  private let call: Result<WebCall, any Error>?

  init(_ parts: ScreenParts) {
    self.parts = parts
    print = parts.print
    call = parts.service.map { service in
      Result { WebCall(try service.request("/user/SESSIONKEY/endsession"), to: service) }
    }
  }

  /// Makes the request on another thread, or only waits without a service. Prints the outcome, unless cancelled.
  func run() async {
    guard call != nil else {
      do { try await parts.clock.sleep(for: .seconds(parts.work)) } catch { return }
      return print(Self.outcome(of: Data(#"{"success": true}"#.utf8)))
    }
    // Not on the main thread, where the expiration handler would have to wait for the service.
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        self.runBlocking()
        continuation.resume()
      }
    }
  }

  /// Makes the request and prints its outcome, unless cancelled. Does nothing without a service. Blocks.
  func runBlocking() {
    guard let call else { return }
    do {
      print(Self.outcome(of: Data(try call.get().answer(within: parts.serviceLimit).body)))
    } catch WebCall.Problem.cancelled {
      // The task has expired, or the application has ended.
    } catch {
      print("Service error: \(error)")
    }
  }

  /// Closes the connection to the service, which makes `run` return. Has no effect without a service.
  func cancel() { try? call?.get().stop() }

  /// Returns the outcome according to a response. The key `success` alone counts, regardless of its value.
  /// Any response without it means that the session was not ended.
  static func outcome(of answer: Data) -> String {
    let response = try? JSONSerialization.jsonObject(with: answer) as? [String: Any]
    return response?["success"] != nil ? "Session ended" : "Error ending session"
  }
}
