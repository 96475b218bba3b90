import CoreLocation

/// The last place.
final class Places: NSObject, CLLocationManagerDelegate {
  private let manager = CLLocationManager()
  private(set) var last: CLLocation?

  override init() {
    super.init()
    manager.delegate = self
    manager.desiredAccuracy = kCLLocationAccuracyBest
  }

  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
    last = locations.last
  }
}
