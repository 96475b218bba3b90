import Continuo
import Foundation

/// Prints a line of the application. Any thread.
typealias Printer = @Sendable (String) -> Void

/// Blocks the calling thread for so many seconds.
typealias Blocker = @Sendable (Double) -> Void

/// A screen of the application. It is set up once, before it is shown, and has one button. This phone has no
/// display, so the text of a label is printed when it is set: `Song: one.mp3`.
@MainActor class Screen {
  let parts: ScreenChoice.Parts
  let print: Printer
  private var observers: [any NSObjectProtocol] = []

  required init(_ parts: ScreenChoice.Parts) {
    self.parts = parts
    print = parts.print
  }

  isolated deinit { for observer in observers { NotificationCenter.default.removeObserver(observer) } }

  /// Calls `action` on the main thread for each notification, as long as the screen exists.
  func observe(_ name: Notification.Name, _ action: @escaping @Sendable (Notification) -> Void) {
    observers.append(
      NotificationCenter.default.addObserver(forName: name, object: nil, queue: .main, using: action))
  }

  /// Sets the screen up.
  func viewDidLoad() {}

  /// Called when the button was tapped.
  func buttonTapped() {}

  /// Called when the application has entered the background.
  func didEnterBackground(_ application: UIApplication) {}

  /// Called before the application comes to the foreground.
  func willEnterForeground() {}
}
