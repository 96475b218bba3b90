/// Whether an application may know where the device is.
public enum CLAuthorizationStatus: Int32, Hashable, Sendable, CaseIterable {
  /// It has not asked, or nobody has answered.
  case notDetermined = 0
  /// It may not, and the person who uses the device cannot change that.
  case restricted = 1
  /// It may not: that is what the person has answered.
  case denied = 2
  /// It may, at any time.
  case authorizedAlways = 3
  /// It may while it is in use: in front, or if it has begun updates there, in the background with the mode `location`.
  case authorizedWhenInUse = 4
}

/// How accurately an application may know where the device is.
public enum CLAccuracyAuthorization: Int, Hashable, Sendable, CaseIterable {
  /// Exactly: always so here.
  case fullAccuracy = 0
  /// Roughly.
  case reducedAccuracy = 1
}

/// What the person does whose places are asked for. Kept, and has no effect here.
public enum CLActivityType: Int, Hashable, Sendable, CaseIterable {
  /// Anything.
  case other = 1
  /// Drives a car along streets.
  case automotiveNavigation = 2
  /// Walks, runs or cycles.
  case fitness = 3
  /// Travels by boat, train or plane.
  case otherNavigation = 4
  /// Flies.
  case airborne = 5
}
