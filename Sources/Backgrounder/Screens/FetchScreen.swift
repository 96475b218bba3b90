import Continuo
import Foundation

/// Shows the time at which it was last brought up to date: by the button, or by the system in the background.
final class FetchScreen: Screen {
  private var time: Date?
  private let updateLabel = Label("Updated")

  override func viewDidLoad() { updateUI() }

  override func buttonTapped() {
    fetch { self.updateUI() }
  }

  /// Fetches something new; here that is the time, which needs no network.
  func fetch(completion: () -> Void) {
    time = Date()
    completion()
  }

  func updateUI() {
    guard let time else {
      updateLabel.text = "Not yet updated"
      return
    }
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.dateStyle = .short
    formatter.timeStyle = .long
    updateLabel.text = formatter.string(from: time)
  }
}
