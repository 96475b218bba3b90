import Continuo
import Dispatch
import Foundation
import Synchronization

/// Sends data to a server, synchronously on a background queue, and requests background time to finish.
final class UploadScreen: Screen {
  private let service: WebService?
  private let seconds: Double

  /// Creates a screen for a server. Without one the upload is simulated, and takes `seconds` seconds.
  init(service: WebService?, seconds: Double) {
    self.service = service
    self.seconds = seconds
  }

  override func buttonTapped() {
    Upload(application: .shared, service: service, seconds: seconds).sendDataToServer()
  }
}

/// The upload of all parts. Used by the background queue and, when its time expires, by the main thread.
private final class Upload: Sendable {
  private static let parts = 10
  /// The size of a part in bytes.
  private static let partSize = 65_536
  /// The time limit for sending a part, in seconds.
  private static let timeout = 20.0
  private let application: UIApplication
  private let service: WebService?
  private let seconds: Double
  private let backgroundTaskID = Mutex(UIBackgroundTaskIdentifier.invalid)
  private let call = Mutex<WebCall?>(nil)

  init(application: UIApplication, service: WebService?, seconds: Double) {
    self.application = application
    self.service = service
    self.seconds = seconds
  }

  func sendDataToServer() {
    // Uploads on a background queue.
    DispatchQueue.global().async {
      // The lock is held until the identifier is stored, since the expiration handler needs it.
      let isGranted = self.backgroundTaskID.withLock { id in
        id = self.application.beginBackgroundTask(withName: "Finish Network Tasks") {
          // The time has expired: ends the task.
          print("Out of time")
          self.endTask()
          // Wakes the thread that waits for the server.
          self.call.withLock { $0 }?.cancel()
        }
        return id != .invalid
      }
      guard isGranted else { return print("No time for the upload") }

      // Blocks until all parts are sent, or the upload has failed.
      self.sendAppDataToServer()

      // Releases the background time as soon as the upload is over.
      self.endTask()
    }
  }

  private func sendAppDataToServer() {
    for part in 1...Self.parts {
      var problem: (any Error)?
      do { try send(part) } catch { problem = error }
      // The task ends early if its time expires; the remaining parts are left for the next time.
      guard backgroundTaskID.withLock({ $0 != .invalid }) else {
        return print("Upload stopped before part \(part) of \(Self.parts)")
      }
      // The application has ended and must not print anything more.
      if case WebCall.Problem.cancelled? = problem { return }
      if let problem { return print("Upload failed at part \(part) of \(Self.parts): \(problem)") }
      print("Sent part \(part) of \(Self.parts)")
    }
    print("Upload finished")
  }

  /// Sends one part and waits for the server's response.
  private func send(_ part: Int) throws {
    guard let service else { return Thread.sleep(forTimeInterval: seconds / Double(Self.parts)) }
    let body = [UInt8](repeating: UInt8(part), count: Self.partSize)
    let call = WebCall(try service.request("/upload/\(part)", body: body), to: service)
    self.call.withLock { $0 = call }
    guard backgroundTaskID.withLock({ $0 != .invalid }) else { throw WebCall.Problem.cancelled }
    let status = try call.answer(within: Self.timeout).status
    guard (200...299).contains(status) else { throw Refused(status: status) }
  }

  /// An error status in the server's response to a part.
  private struct Refused: Error, CustomStringConvertible {
    let status: Int
    var description: String { "the server answers with \(status)" }
  }

  private func endTask() {
    let id = backgroundTaskID.withLock { id in
      defer { id = .invalid }
      return id
    }
    if id != .invalid { application.endBackgroundTask(id) }
  }
}
