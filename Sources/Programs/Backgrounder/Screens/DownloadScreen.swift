import Continuo
import Dispatch
import Foundation

/// Downloads a few files.
final class DownloadScreen: Screen {
  private let downloader: Downloader

  /// A screen whose files come from that service into a folder; without one they only take so many seconds of the clock
  /// altogether.
  init(
    service: WebService?, folder: URL?, seconds: Double, clock: any Clock<Duration>, print: @escaping Printer
  ) {
    downloader = Downloader(
      service: service, folder: folder, secondsPerFile: seconds / Double(Self.files.count), clock: clock,
      print: print)
    super.init(print: print)
  }

  private static let files = ["one.mp3", "two.mp3", "three.mp3", "four.mp3"]

  override func buttonTapped() { downloader.download(Self.files) }
}

/// Downloads files one after the other. Continues in the background by notifications alone: no screen and no
/// delegate has to call it.
@MainActor final class Downloader {
  private let service: WebService?
  private let folder: URL?
  private let secondsPerFile: Double
  private let clock: any Clock<Duration>
  private let print: Printer
  /// The application that downloads, also where its device is not the current one: in blocks on the main queue.
  private let application = UIApplication.shared
  private var queue: [String] = []
  private var present: ServiceDownload?
  private var backgroundTask = UIBackgroundTaskIdentifier.invalid
  private var observers: [any NSObjectProtocol] = []

  init(
    service: WebService?, folder: URL?, secondsPerFile: Double, clock: any Clock<Duration>,
    print: @escaping Printer
  ) {
    self.service = service
    self.folder = folder
    self.secondsPerFile = secondsPerFile
    self.clock = clock
    self.print = print
    observe(UIApplication.didEnterBackgroundNotification) { $0.enterBackground() }
    observe(UIApplication.willEnterForegroundNotification) { $0.present?.goOn() }
  }

  private func observe(_ name: Notification.Name, _ action: @escaping @MainActor (Downloader) -> Void) {
    observers.append(
      NotificationCenter.default.addObserver(forName: name, object: nil, queue: .main) { [weak self] _ in
        MainActor.assumeIsolated { if let self { action(self) } }
      })
  }

  isolated deinit {
    for observer in observers { NotificationCenter.default.removeObserver(observer) }
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
    guard let service, let folder else {
      Task { [weak self, clock, secondsPerFile] in
        try await clock.sleep(for: .seconds(secondsPerFile))
        self?.ended(file, .finished)
      }
      return
    }
    do {
      present = try ServiceDownload(
        "/\(file)", of: service, to: folder.appendingPathComponent(file), print: print
      ) { [weak self] in self?.ended(file, $0) }
    } catch {
      DispatchQueue.main.async { [weak self] in
        MainActor.assumeIsolated { self?.ended(file, .failed(error.localizedDescription)) }
      }
    }
  }

  private func ended(_ file: String, _ outcome: ServiceDownload.Outcome) {
    switch outcome {
    case .finished: print("Downloaded \(file)")
    case .failed(let reason): print("Download of \(file) failed: \(reason)")
    }
    present = nil
    queue.removeFirst()
    downloadNext()
  }

  /// Requests background time if downloads are pending.
  private func enterBackground() {
    guard !queue.isEmpty, backgroundTask == .invalid else { return }
    backgroundTask = application.beginBackgroundTask(withName: "Download") { [weak self] in
      guard let self else { return }
      print("Out of time, \(queue.count) downloads left")
      // Without a word to the server; in front it goes on behind what is there.
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
