import Continuo
import ContinuoLocation

/// Measures how far its user runs, also while the phone is locked.
@MainActor
final class RunTracker: @preconcurrency CLLocationManagerDelegate {
  private let manager = CLLocationManager()
  private(set) var meters = 0.0
  private var last: CLLocation?

  init(inBackground: Bool) {
    manager.delegate = self
    manager.allowsBackgroundLocationUpdates = inBackground
    manager.requestAlwaysAuthorization()
    manager.startUpdatingLocation()
  }

  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
    for location in locations {
      meters += last.map(location.distance(from:)) ?? 0
      last = location
    }
  }
}
