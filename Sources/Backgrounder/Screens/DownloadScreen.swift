import Continuo
import Dispatch
import Foundation

/// Downloads a few files.
final class DownloadScreen: Screen {
  private let downloader: Downloader

  /// A screen whose downloads take that many seconds altogether.
  init(seconds: Double) { downloader = Downloader(secondsPerFile: seconds / Double(Self.files.count)) }

  private static let files = ["one.mp3", "two.mp3", "three.mp3", "four.mp3"]

  override func buttonTapped() { downloader.download(Self.files) }
}

/// Downloads files one after the other. No screen and no delegate has to do anything for it to go on in the
/// background: the notification is enough.
@MainActor
final class Downloader {
  private let secondsPerFile: Double
  private var queue: [String] = []
  private var backgroundTask = UIBackgroundTaskIdentifier.invalid
  private var backgroundObserver: (any NSObjectProtocol)?

  init(secondsPerFile: Double) {
    self.secondsPerFile = secondsPerFile
    backgroundObserver = NotificationCenter.default.addObserver(
      forName: UIApplication.didEnterBackgroundNotification, object: nil, queue: .main
    ) { [weak self] _ in
      MainActor.assumeIsolated { self?.enterBackground() }
    }
  }

  isolated deinit {
    if let backgroundObserver { NotificationCenter.default.removeObserver(backgroundObserver) }
  }

  func download(_ files: [String]) {
    let isIdle = queue.isEmpty
    queue += files
    if isIdle { downloadNext() }
  }

  private func downloadNext() {
    guard let file = queue.first else {
      print("No more downloads")
      return endTask()
    }
    DispatchQueue.main.asyncAfter(deadline: .now() + secondsPerFile) { [weak self] in
      MainActor.assumeIsolated {
        guard let self else { return }
        print("Downloaded \(file)")
        self.queue.removeFirst()
        self.downloadNext()
      }
    }
  }

  /// Asks for background time, if there is something to do.
  private func enterBackground() {
    guard !queue.isEmpty, backgroundTask == .invalid else { return }
    backgroundTask = UIApplication.shared.beginBackgroundTask(withName: "Download") { [weak self] in
      print("Out of time, \(self?.queue.count ?? 0) downloads left")
      self?.endTask()
    }
  }

  private func endTask() {
    guard backgroundTask != .invalid else { return }
    UIApplication.shared.endBackgroundTask(backgroundTask)
    backgroundTask = .invalid
  }
}
