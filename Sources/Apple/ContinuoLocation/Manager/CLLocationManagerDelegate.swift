/// The receiver of a manager's locations. All methods are optional and are called on the main queue.
public protocol CLLocationManagerDelegate: AnyObject {
  /// Reports locations, newest last. By default passes each to `locationManager(_:didUpdateTo:from:)`.
  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation])

  /// Reports a new location, and the previous one; nil for the first. Deprecated on Apple's systems.
  func locationManager(
    _ manager: CLLocationManager, didUpdateTo newLocation: CLLocation, from oldLocation: CLLocation?)

  /// Reports that the location is unavailable or its use not allowed. `error` is a `CLError`.
  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error)

  /// Reports the authorization and its changes. By default calls `locationManager(_:didChangeAuthorization:)`.
  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager)

  /// Reports a change of the authorization, or its initial value. Deprecated on Apple's systems.
  func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus)

  /// Reports that updates are paused because the device has not moved for 15 minutes in the background.
  func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager)

  /// Reports that paused updates continue.
  func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager)

  /// Reports a heading. Never called, because there is no compass.
  func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading)

  /// Reports the entry into a region. Never called, because regions are not monitored.
  func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion)

  /// Reports the exit from a region. Never called, because regions are not monitored.
  func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion)

  /// Reports that a region cannot be monitored. Never called, because regions are not monitored.
  func locationManager(
    _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error)

  /// Reports the start of a region's monitoring. Never called, because regions are not monitored.
  func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion)

  /// Reports a visit. Never called, because visits are not monitored.
  func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit)
}

extension CLLocationManagerDelegate {
  /// Passes each location to `locationManager(_:didUpdateTo:from:)`.
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
  /// Does nothing by default.
  public func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {}
  /// Does nothing by default.
  public func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {}
  /// Does nothing by default.
  public func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {}
  /// Does nothing by default.
  public func locationManager(
    _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
  ) {}
  /// Does nothing by default.
  public func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {}
  /// Does nothing by default.
  public func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {}
}
