import Continuo

/// Sends parts, also after the user has pressed the home button, and gives up in time.
@MainActor
final class Uploader {
  private let clock: any Clock<Duration>
  private var task = UIBackgroundTaskIdentifier.invalid
  private(set) var partsSent = 0

  init(clock: any Clock<Duration> = ContinuousClock()) { self.clock = clock }

  func upload(parts: Int) {
    let work = Task {
      while partsSent < parts {
        try await clock.sleep(for: .seconds(5))  // Here a part would be sent.
        partsSent += 1
      }
      UIApplication.shared.endBackgroundTask(task)
    }
    task = UIApplication.shared.beginBackgroundTask(withName: "upload") {
      work.cancel()
      UIApplication.shared.endBackgroundTask(self.task)
    }
  }
}
