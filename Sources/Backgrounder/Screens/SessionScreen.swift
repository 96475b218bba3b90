import Continuo
import Dispatch
import Foundation

/// Tells a web service that the session is over when the application enters the background.
final class SessionScreen: Screen {
  private let service: BackgroundCleanupService
  private var backgroundTask = UIBackgroundTaskIdentifier.invalid

  /// A screen whose web service needs that many seconds.
  init(seconds: Double) { service = BackgroundCleanupService(seconds: seconds) }

  override func viewDidLoad() { print("Session begun") }

  /// Called by the delegate.
  func endSession(in application: UIApplication) {
    print("Application entered background state.")
    assert(backgroundTask == .invalid)
    backgroundTask = application.beginBackgroundTask(withName: "End of session") { [weak self] in
      self?.endTask(in: application)
    }
    // Runs later, when `applicationDidEnterBackground` has returned.
    DispatchQueue.main.async { [weak self] in
      guard let self else { return }
      if application.backgroundTimeRemaining > 1 { self.service.run() }
      self.endTask(in: application)
    }
  }

  private func endTask(in application: UIApplication) {
    guard backgroundTask != .invalid else { return }
    application.endBackgroundTask(backgroundTask)
    backgroundTask = .invalid
  }
}

/// Ends the session at a web service, synchronously.
struct BackgroundCleanupService {
  /// How long the service takes to answer.
  let seconds: Double

  private struct Response: Decodable {
    let success: Bool
  }

  func run() {
    do {
      let response = try JSONDecoder().decode(Response.self, from: requestEndOfSession())
      print(response.success ? "Session ended" : "Error ending session")
    } catch {
      print("Service error: \(error)")
    }
  }

  /// Stands for a request over the network: blocks for a while and returns an answer.
  private func requestEndOfSession() -> Data {
    Thread.sleep(forTimeInterval: seconds)
    return Data(#"{"success": true}"#.utf8)
  }
}
