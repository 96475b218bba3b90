import Continuo
import ContinuoLocation
import Foundation

/// Shows the past positions of the device. Linux has no map view, so the positions are printed.
final class LocationScreen: Screen {
  private(set) var pins: [CLLocation] = []
  private var isOn = false

  private lazy var locationManager: CLLocationManager = {
    let manager = CLLocationManager()
    manager.desiredAccuracy = kCLLocationAccuracyBest
    manager.delegate = self
    manager.requestAlwaysAuthorization()
    return manager
  }()

  /// The maximum number of pins: more would not be useful.
  private static let pinLimit = 100

  override func viewDidLoad() {
    observe(UIApplication.didBecomeActiveNotification) { [weak self] _ in
      MainActor.assumeIsolated { self?.showPins() }
    }
  }

  override func buttonTapped() {
    isOn.toggle()
    if isOn { locationManager.startUpdatingLocation() } else { locationManager.stopUpdatingLocation() }
  }

  private func showPins() {
    if !pins.isEmpty { print("Map: \(pins.count) pins") }
  }
}

extension LocationScreen: @preconcurrency CLLocationManagerDelegate {
  func locationManager(
    _ manager: CLLocationManager, didUpdateTo newLocation: CLLocation, from oldLocation: CLLocation?
  ) {
    // Adds a pin to the map, and removes the oldest if there are too many.
    pins.append(newLocation)
    while pins.count > Self.pinLimit { pins.removeFirst() }

    let isActive = UIApplication.shared.applicationState == .active
    print("\(isActive ? "Location:" : "App is backgrounded. New location is") \(newLocation)")
  }

  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
    print("No location: \(error.localizedDescription)")
  }

  func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) {
    print("Location updates paused")
  }

  func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager) {
    print("Location updates go on")
  }
}
