import Continuo
import Dispatch
import Foundation
import Synchronization

/// Sends data to a server, synchronously on a background queue, and asks for time to finish that in the
/// background.
final class UploadScreen: Screen {
  private let seconds: Double

  /// A screen whose server needs that many seconds.
  init(seconds: Double) { self.seconds = seconds }

  override func buttonTapped() { Upload(application: .shared, seconds: seconds).sendDataToServer() }
}

/// One upload. It is used by the background queue, and by the main thread when its time expires.
private final class Upload: Sendable {
  private static let parts = 10
  private let application: UIApplication
  private let seconds: Double
  private let backgroundTaskID = Mutex(UIBackgroundTaskIdentifier.invalid)

  init(application: UIApplication, seconds: Double) {
    self.application = application
    self.seconds = seconds
  }

  func sendDataToServer() {
    // Perform the task on a background queue.
    DispatchQueue.global().async {
      // Request the task assertion and save the ID, which must be there before the handler wants it.
      let isGranted = self.backgroundTaskID.withLock { id in
        id = self.application.beginBackgroundTask(withName: "Finish Network Tasks") {
          // End the task if time expires.
          print("Out of time")
          self.endTask()
        }
        return id != .invalid
      }
      guard isGranted else { return print("No time for the upload") }

      // Send the data synchronously.
      self.sendAppDataToServer()

      // End the task assertion.
      self.endTask()
    }
  }

  private func sendAppDataToServer() {
    for part in 1...Self.parts {
      Thread.sleep(forTimeInterval: seconds / Double(Self.parts))
      // The task ends early if its time expires: what is not sent by then is for the next time.
      guard backgroundTaskID.withLock({ $0 != .invalid }) else {
        return print("Upload stopped before part \(part) of \(Self.parts)")
      }
      print("Sent part \(part) of \(Self.parts)")
    }
    print("Upload finished")
  }

  private func endTask() {
    let id = backgroundTaskID.withLock { id in
      defer { id = .invalid }
      return id
    }
    if id != .invalid { application.endBackgroundTask(id) }
  }
}
