import Continuo
import ContinuoTesting
import Foundation

private final class QuietApplication: UIResponder, UIApplicationDelegate {}

extension TestDevice {
  /// Launches an application that does nothing.
  func launchApplication() async { await launch(QuietApplication()) }

  /// Returns the URL of a new song.
  func song(_ name: String, _ duration: Duration) -> URL { song(name, duration: duration).url }
}
