/// What every screen is: set up once, before anybody sees it, and with one button.
@MainActor
class Screen {
  /// Sets the screen up.
  func viewDidLoad() {}

  /// Somebody tapped the button.
  func buttonTapped() {}
}

/// A label. This phone has no screen to show it on: its text is printed when it is set.
@MainActor
final class Label {
  private let name: String

  /// A label whose text is printed with this name before it.
  init(_ name: String) { self.name = name }

  /// What it shows.
  var text = "" {
    didSet { print("\(name): \(text)") }
  }
}
