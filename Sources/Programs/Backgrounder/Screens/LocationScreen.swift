import Continuo
import ContinuoLocation
import Foundation

/// Shows the past positions of the device on a map. Without a map here, it prints its pins.
final class LocationScreen: Screen {
  private let tracksInBackground: Bool
  private var pins: [CLLocation] = []
  private var isOn = false
  private lazy var locationLabel = Label("Location", print: print)
  private lazy var mapLabel = Label("Map", print: print)
  private var activeObserver: (any NSObjectProtocol)?

  private lazy var locationManager: CLLocationManager = {
    let manager = CLLocationManager()
    manager.desiredAccuracy = kCLLocationAccuracyBest
    manager.delegate = self
    manager.allowsBackgroundLocationUpdates = tracksInBackground
    manager.requestAlwaysAuthorization()
    return manager
  }()

  /// The maximum number of pins: more would not be useful.
  private static let pinLimit = 100

  /// A screen that goes on in the background if the application has the mode for it, as its `Info.plist` says.
  init(tracksInBackground: Bool, print: @escaping Printer) {
    self.tracksInBackground = tracksInBackground
    super.init(print: print)
  }

  override func viewDidLoad() {
    activeObserver = NotificationCenter.default.addObserver(
      forName: UIApplication.didBecomeActiveNotification, object: nil, queue: .main
    ) { [weak self] _ in
      MainActor.assumeIsolated { self?.showPins() }
    }
  }

  isolated deinit {
    if let activeObserver { NotificationCenter.default.removeObserver(activeObserver) }
  }

  /// Switches the location updates on or off.
  override func buttonTapped() {
    isOn.toggle()
    if isOn { locationManager.startUpdatingLocation() } else { locationManager.stopUpdatingLocation() }
  }

  private func showPins() {
    if !pins.isEmpty { mapLabel.text = "\(pins.count) pins" }
  }
}

extension LocationScreen: @preconcurrency CLLocationManagerDelegate {
  func locationManager(
    _ manager: CLLocationManager, didUpdateTo newLocation: CLLocation, from oldLocation: CLLocation?
  ) {
    // Adds a pin to the map, and removes the oldest if there are too many.
    pins.append(newLocation)
    while pins.count > Self.pinLimit { pins.removeFirst() }

    if UIApplication.shared.applicationState == .active {
      locationLabel.text = "\(newLocation)"
    } else {
      print("App is backgrounded. New location is \(newLocation)")
    }
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
