import Continuo

/// A screen of the application with one button. Set up once, before it is shown.
@MainActor
class Screen {
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
@MainActor
final class Label {
  private let name: String

  /// Creates a label whose text is printed after this name.
  init(_ name: String) { self.name = name }

  /// The text of the label.
  var text = "" {
    didSet { print("\(name): \(text)") }
  }
}
