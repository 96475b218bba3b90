/// The authorization of an application to use the device's location.
public enum CLAuthorizationStatus: Int32, Hashable, Sendable, CaseIterable {
  /// The application has made no request, or the user has not answered.
  case notDetermined = 0
  /// Location use is not allowed, and the user cannot change that.
  case restricted = 1
  /// The user has refused permission.
  case denied = 2
  /// Location use is allowed at any time.
  case authorizedAlways = 3
  /// Location use is allowed in the foreground. Updates that began there continue in the background if
  /// `CLLocationManager.allowsBackgroundLocationUpdates` is true.
  case authorizedWhenInUse = 4

  var isGranted: Bool { self == .authorizedAlways || self == .authorizedWhenInUse }
  var isRefused: Bool { self == .denied || self == .restricted }
}

/// The accuracy that an application may use.
public enum CLAccuracyAuthorization: Int, Hashable, Sendable, CaseIterable {
  /// Full accuracy: always the case here.
  case fullAccuracy = 0
  /// Reduced accuracy: never the case here.
  case reducedAccuracy = 1
}

/// The user's type of activity. Stored without effect here.
public enum CLActivityType: Int, Hashable, Sendable, CaseIterable {
  /// An unspecified activity.
  case other = 1
  /// Driving a car on streets.
  case automotiveNavigation = 2
  /// Walking, running or cycling.
  case fitness = 3
  /// Travelling by boat, train or plane.
  case otherNavigation = 4
  /// Flying an aircraft.
  case airborne = 5
}
