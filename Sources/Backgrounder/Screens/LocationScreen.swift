import Continuo
import ContinuoLocation
import Foundation

/// Shows on a map where the device was. It has no map here: it prints its pins.
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

  /// More pins than these make nobody wiser.
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

  /// Turns the switch.
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
    // Add another pin to the map, and remove the oldest if there are too many.
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
