import Continuo
import Foundation

/// Prints a line of the application. Any thread.
typealias Printer = @Sendable (String) -> Void

/// Blocks the calling thread for a time in seconds.
typealias Blocker = @Sendable (Double) -> Void

/// The parameters of all screens.
struct ScreenParts: Sendable {
  var songs: [URL] = []
  /// The application's background modes, as in its `Info.plist`.
  var modes = BackgroundModes()
  /// The category of the audio session, and its options.
  var category = AVAudioSession.Category.playback
  var categoryOptions: AVAudioSession.CategoryOptions = []
  var service: WebService?
  /// The time limit for the service's response to a part of an upload or to the end of a session, in seconds.
  var serviceLimit = 20.0
  /// The duration, in seconds, of a refresh and, if no service is given, of an upload, of all downloads or of
  /// a request to the web service.
  var work: Double
  /// The destination folder of downloads.
  var folder: URL?
  /// The time limit for a service's response to a background fetch, in seconds.
  var fetchSeconds = 0.0
  /// The port to listen on (0: any free one), or the port of the server that calls.
  var port: UInt16 = 0
  /// Whether the listening socket stays open in the background.
  var leavesOpen = false
  /// The players of an earlier process of the application, which was terminated.
  var restorable: [PlayerSnapshot] = []
  /// Returns the current date.
  var now: @Sendable () -> Date = { Date() }
  /// The clock by which screens wait.
  var clock: any Clock<Duration> = ContinuousClock()
  /// Blocks the calling thread for a time in seconds: the thread of an upload without a service or, as a
  /// fault, the main thread.
  var block: Blocker = { Thread.sleep(forTimeInterval: $0) }
  /// Prints the application's lines.
  var print: Printer = { Swift.print($0) }
}

/// A screen of the application. It is set up when it is first shown, and has one button. This phone has no
/// display, so the text of a label is printed when it is set: `Song: one.mp3`.
@MainActor class Screen {
  let parts: ScreenParts
  let print: Printer
  /// Whether the screen was shown, so that its labels exist.
  private(set) var isLoaded = false
  private var observers: [any NSObjectProtocol] = []

  required init(_ parts: ScreenParts) {
    self.parts = parts
    print = parts.print
  }

  isolated deinit { for observer in observers { NotificationCenter.default.removeObserver(observer) } }

  /// Calls `action` on the main thread for each notification, as long as the screen exists.
  func observe(_ name: Notification.Name, _ action: @escaping @Sendable (Notification) -> Void) {
    observers.append(
      NotificationCenter.default.addObserver(forName: name, object: nil, queue: .main, using: action))
  }

  /// Sets the screen up when it is first shown. Later calls have no effect.
  final func show() {
    guard !isLoaded else { return }
    isLoaded = true
    viewDidLoad()
  }

  /// Sets the screen up.
  func viewDidLoad() {}

  func buttonTapped() {}

  /// Called on each screen that was shown before, when the application has entered the background.
  func didEnterBackground(_ application: UIApplication) {}

  /// Called on each screen that was shown before, when the application is about to enter the foreground.
  func willEnterForeground() {}
}
