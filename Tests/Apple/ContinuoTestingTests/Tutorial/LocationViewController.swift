import Continuo
import ContinuoLocation

/// What the tutorial's second tab has of MapKit.
@MainActor final class MKPointAnnotation {
  var coordinate = CLLocationCoordinate2D()
}

@MainActor final class MKMapView {
  private(set) var annotations: [MKPointAnnotation] = []
  /// How often all of them were shown.
  private(set) var showings = 0
  func addAnnotation(_ annotation: MKPointAnnotation) { annotations.append(annotation) }
  func removeAnnotation(_ annotation: MKPointAnnotation) { annotations.removeAll { $0 === annotation } }
  func showAnnotations(_ annotations: [MKPointAnnotation], animated: Bool) { showings += 1 }
}

@MainActor final class UISwitch {
  var isOn: Bool
  init(isOn: Bool) { self.isOn = isOn }
}

@MainActor final class UISegmentedControl {
  var selectedSegmentIndex = 0
}

/// "Receiving Location Updates", in today's Swift.
class LocationViewController: UIViewController, @preconcurrency CLLocationManagerDelegate {
  var locations = [MKPointAnnotation]()
  let mapView = MKMapView()

  lazy var locationManager: CLLocationManager = {
    let manager = CLLocationManager()
    manager.desiredAccuracy = kCLLocationAccuracyBest
    manager.delegate = self
    manager.requestAlwaysAuthorization()
    return manager
  }()

  func accuracyChanged(_ sender: UISegmentedControl) {
    let accuracyValues = [
      kCLLocationAccuracyBestForNavigation, kCLLocationAccuracyBest, kCLLocationAccuracyNearestTenMeters,
      kCLLocationAccuracyHundredMeters, kCLLocationAccuracyKilometer, kCLLocationAccuracyThreeKilometers,
    ]
    locationManager.desiredAccuracy = accuracyValues[sender.selectedSegmentIndex]
  }

  func enabledChanged(_ sender: UISwitch) {
    if sender.isOn {
      locationManager.startUpdatingLocation()
    } else {
      locationManager.stopUpdatingLocation()
    }
  }

  // MARK: - CLLocationManagerDelegate
  func locationManager(
    _ manager: CLLocationManager, didUpdateTo newLocation: CLLocation, from oldLocation: CLLocation?
  ) {
    // Add another annotation to the map.
    let annotation = MKPointAnnotation()
    annotation.coordinate = newLocation.coordinate
    mapView.addAnnotation(annotation)
    // Also add to our map so we can remove old values later
    locations.append(annotation)
    // Remove values if the array is too big
    while locations.count > 100 {
      let annotationToRemove = locations.removeFirst()
      // Also remove from the map
      mapView.removeAnnotation(annotationToRemove)
    }
    if UIApplication.shared.applicationState == .active {
      mapView.showAnnotations(locations, animated: true)
    } else {
      NSLog("App is backgrounded. New location is %@", newLocation.description as NSString)
    }
  }
}
