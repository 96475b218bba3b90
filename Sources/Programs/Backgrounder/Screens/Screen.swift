import Continuo

/// Prints a line of the application. Any thread.
typealias Printer = @Sendable (String) -> Void

/// Blocks the calling thread for so many seconds.
typealias Blocker = @Sendable (Double) -> Void

/// A screen of the application. It is set up once, before it is shown, and has one button.
@MainActor class Screen {
  /// Prints a line.
  let print: Printer

  init(print: @escaping Printer) { self.print = print }

  /// Sets the screen up.
  func viewDidLoad() {}

  /// Called when the button was tapped.
  func buttonTapped() {}

  /// Called when the application has entered the background.
  func didEnterBackground(_ application: UIApplication) {}

  /// Called before the application comes to the foreground.
  func willEnterForeground() {}
}

/// A label. This phone has no display, so the text is printed when it is set.
@MainActor final class Label {
  private let name: String
  private let print: Printer

  /// A label whose text is printed with this name before it.
  init(_ name: String, print: @escaping Printer) {
    self.name = name
    self.print = print
  }

  /// The text of the label.
  var text = "" { didSet { print("\(name): \(text)") } }
}
