import Continuo
import Dispatch
import Synchronization

/// Sends data to a server, synchronously on a background queue, and requests background time to finish. An
/// upload that was stopped or has failed continues when the button is tapped again.
final class UploadScreen: Screen {
  private lazy var upload = Upload(parts, for: .shared)

  override func buttonTapped() { upload.sendDataToServer() }
}

/// The upload of all parts. Used by the background queue and, when the background time expires, by the main thread.
private final class Upload: Sendable {
  private static let parts = 10
  /// The size of a part in bytes.
  private static let partSize = 65_536
  private let application: UIApplication
  private let screen: ScreenParts
  private let print: Printer
  /// Held while a line is printed that depends on the task, so that no part is reported as sent after the
  /// task has ended.
  private let backgroundTaskID = Mutex(UIBackgroundTaskIdentifier.invalid)
  private let call = Mutex<WebCall?>(nil)
  /// The first part that the server has not confirmed.
  private let next = Mutex(1)
  /// Serial, so that the upload of a second tap begins after the first upload.
  private let queue = DispatchQueue(label: "upload")

  init(_ screen: ScreenParts, for application: UIApplication) {
    self.application = application
    self.screen = screen
    print = screen.print
  }

  func sendDataToServer() {
    // Uploads on a background queue.
    queue.async {
      // The lock is held until the identifier is stored, since the expiration handler needs it.
      let isGranted = self.backgroundTaskID.withLock { id in
        id = self.application.beginBackgroundTask(withName: "Finish Network Tasks") {
          // End the task if time expires.
          self.endTask { self.print("Out of time") }
          // Wakes the thread that waits for the server.
          self.call.withLock { $0 }?.stop()
        }
        return id != .invalid
      }
      guard isGranted else { return self.print("No time for the upload") }

      // Blocks until all parts are sent, or the upload has failed.
      self.sendAppDataToServer()

      // Releases the background time as soon as the upload is over.
      self.endTask()
    }
  }

  private func sendAppDataToServer() {
    let first = next.withLock { $0 }
    if first > 1 { print("Going on at part \(first) of \(Self.parts)") }
    for part in first...Self.parts {
      var problem: (any Error)?
      do { try send(part) } catch { problem = error }
      guard goesOn(after: part, problem) else { return }
    }
  }

  /// Prints the outcome of a part, and returns whether to send the next one.
  private func goesOn(after part: Int, _ problem: (any Error)?) -> Bool {
    backgroundTaskID.withLock { id in
      switch problem {
      // The task ends early if its time expires. The remaining parts are not sent.
      case _ where id == .invalid: print("Upload stopped before part \(part) of \(Self.parts)")
      // The application has ended and prints nothing.
      case WebCall.Problem.cancelled?: break
      case let problem?: print("Upload failed at part \(part) of \(Self.parts): \(problem)")
      case nil:
        print("Sent part \(part) of \(Self.parts)")
        next.withLock { $0 = part % Self.parts + 1 }
        guard part == Self.parts else { return true }
        print("Upload finished")
      }
      return false
    }
  }

  /// Sends one part and waits for the server's response. Without a service, only waits.
  private func send(_ part: Int) throws {
    guard let service = screen.service else { return screen.block(screen.work / Double(Self.parts)) }
    let body = [UInt8](repeating: UInt8(part), count: Self.partSize)
    let call = WebCall(try service.request("/upload/\(part)", body: body), to: service)
    self.call.withLock { $0 = call }
    guard backgroundTaskID.withLock({ $0 != .invalid }) else { throw WebCall.Problem.cancelled }
    let status = try call.answer(within: screen.serviceLimit).status
    guard (200...299).contains(status) else { throw Refused(status: status) }
  }

  /// An error status in the server's response to a part.
  private struct Refused: Error, CustomStringConvertible {
    let status: Int
    var description: String { "the server answers with \(status)" }
  }

  /// Calls `report`, then ends the task unless it has ended.
  private func endTask(report: () -> Void = {}) {
    let id = backgroundTaskID.withLock { id in
      report()
      defer { id = .invalid }
      return id
    }
    if id != .invalid { application.endBackgroundTask(id) }
  }
}
