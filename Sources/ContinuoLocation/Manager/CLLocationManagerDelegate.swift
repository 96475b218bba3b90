/// Receives a manager's places. All methods are optional, and are called on the main queue.
public protocol CLLocationManagerDelegate: AnyObject {
  /// The device is, or was, at these places, the newest last. By default each is given to
  /// `locationManager(_:didUpdateTo:from:)`.
  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation])

  /// The device is at a new place. `oldLocation`: the one before; nil for the first. Deprecated on Apple's systems.
  func locationManager(
    _ manager: CLLocationManager, didUpdateTo newLocation: CLLocation, from oldLocation: CLLocation?)

  /// There is no place, for that reason, a `CLError`.
  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error)

  /// The permission has changed, or the manager is new. By default calls
  /// `locationManager(_:didChangeAuthorization:)`.
  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager)

  /// The permission has changed, or the manager is new. Deprecated on Apple's systems.
  func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus)

  /// Updates were paused because the device has not moved for 15 minutes in the background.
  func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager)

  /// Updates that were paused go on.
  func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager)
}

extension CLLocationManagerDelegate {
  /// Gives each place to `locationManager(_:didUpdateTo:from:)`.
  public func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
    var old = manager.previousLocation
    for location in locations {
      locationManager(manager, didUpdateTo: location, from: old)
      old = location
    }
  }
  /// Does nothing by default.
  public func locationManager(
    _ manager: CLLocationManager, didUpdateTo newLocation: CLLocation, from oldLocation: CLLocation?
  ) {}
  /// Does nothing by default.
  public func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {}
  /// Calls `locationManager(_:didChangeAuthorization:)`.
  public func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
    locationManager(manager, didChangeAuthorization: manager.authorizationStatus)
  }
  /// Does nothing by default.
  public func locationManager(
    _ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus
  ) {}
  /// Does nothing by default.
  public func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) {}
  /// Does nothing by default.
  public func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager) {}
}
