import Continuo
import Dispatch
import Foundation

/// Downloads a few files one after the other. Without a service, a download only takes time. The screen
/// itself observes the notifications of background and foreground, so that no delegate has to call it.
final class DownloadScreen: Screen {
  private static let files = ["one.mp3", "two.mp3", "three.mp3", "four.mp3"]

  /// The application of this screen. With several devices in a process, as in tests, `shared` may be another
  /// application in blocks on the main queue.
  private let application = UIApplication.shared
  private var queue: [String] = []
  private var present: ServiceDownload?
  private var backgroundTask = UIBackgroundTaskIdentifier.invalid

  override func viewDidLoad() {
    observe(UIApplication.didEnterBackgroundNotification) { [weak self] _ in
      MainActor.assumeIsolated { self?.requestBackgroundTime() }
    }
    observe(UIApplication.willEnterForegroundNotification) { [weak self] _ in
      MainActor.assumeIsolated { self?.present?.goOn() }
    }
  }

  override func buttonTapped() {
    let isIdle = queue.isEmpty
    queue += Self.files
    if isIdle { downloadNext() }
  }

  private func downloadNext() {
    guard let file = queue.first else {
      print("No more downloads")
      return endTask()
    }
    guard let service = parts.service, let folder = parts.folder else {
      Task { [weak self, clock = parts.clock, seconds = parts.work / Double(Self.files.count)] in
        try await clock.sleep(for: .seconds(seconds))
        self?.ended(file, problem: nil)
      }
      return
    }
    do {
      present = try ServiceDownload(
        "/\(file)", of: service, to: folder.appendingPathComponent(file), print: print
      ) { [weak self] in self?.ended(file, problem: $0) }
    } catch {
      DispatchQueue.main.async { [weak self] in
        MainActor.assumeIsolated { self?.ended(file, problem: error.localizedDescription) }
      }
    }
  }

  private func ended(_ file: String, problem: String?) {
    print(problem.map { "Download of \(file) failed: \($0)" } ?? "Downloaded \(file)")
    present = nil
    queue.removeFirst()
    downloadNext()
  }

  /// Requests background time if downloads are pending.
  private func requestBackgroundTime() {
    guard !queue.isEmpty, backgroundTask == .invalid else { return }
    backgroundTask = application.beginBackgroundTask(withName: "Download") { [weak self] in
      guard let self else { return }
      print("Out of time, \(queue.count) downloads left")
      // In the foreground the download resumes after the stored bytes.
      present?.close()
      endTask()
    }
  }

  private func endTask() {
    guard backgroundTask != .invalid else { return }
    application.endBackgroundTask(backgroundTask)
    backgroundTask = .invalid
  }
}
