import ContinuoLocation
import ContinuoTesting
import Foundation

/// An application that follows its device, and writes down what it is told.
@MainActor
final class Walker: @preconcurrency CLLocationManagerDelegate {
  let manager = CLLocationManager()
  private let note: (String) -> Void
  private(set) var locations: [CLLocation] = []
  private(set) var batches = 0
  /// Called with each place.
  var onLocation: ((CLLocation) -> Void)?
  /// Called with each failure.
  var onFailure: (() -> Void)?

  init(_ note: @escaping (String) -> Void = { _ in }) {
    self.note = note
    manager.delegate = self
  }

  convenience init(on device: TestDevice) { self.init { device.note($0) } }

  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
    self.locations += locations
    batches += 1
    for location in locations { onLocation?(location) }
  }

  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
    switch error {
    case CLError.denied: note("failed: denied")
    case CLError.locationUnknown: note("failed: locationUnknown")
    default: note("failed: \(error)")
    }
    onFailure?()
  }

  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
    note("authorization \(manager.authorizationStatus)")
  }

  func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) { note("paused") }

  func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager) { note("resumed") }

  /// How far along `eastward` it was, in seconds.
  var seconds: [Int] { locations.map { Int(($0.coordinate.longitude * 1000).rounded()) } }
}

extension LocationTrack {
  /// A way along the equator: a thousandth of a degree, 111 m, in each second.
  static func eastward(_ duration: Int) throws -> LocationTrack {
    try LocationTrack(
      through: [
        CLLocationCoordinate2D(), CLLocationCoordinate2D(latitude: 0, longitude: Double(duration) / 1000),
      ],
      in: .seconds(duration))
  }
}

extension TestDevice {
  /// Launches an application that follows the device, which goes east for so many seconds, with permission.
  func launchWalker(eastward duration: Int = 3600) async throws -> Walker {
    await launch()
    location.authorization = .authorizedAlways
    await travel(along: try .eastward(duration))
    let walker = Walker(on: self)
    await advance(by: .zero)
    return walker
  }

  /// What was noted, but the places.
  var told: String { record.only("failed", "authorization", "paused", "resumed", "state").description }
}
