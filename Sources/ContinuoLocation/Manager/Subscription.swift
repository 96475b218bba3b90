import HostTime

/// What one manager wants to know, as a value: decides which of the source's places it is given.
struct Subscription: Sendable {
  /// Metres between two places that are reported, of those that are reported even if the application does not run.
  static let significantDistance = 500.0
  /// Seconds between them.
  static let significantInterval = 300.0
  /// Seconds in which a single request gets its place.
  static let requestLimit = 10.0

  var distanceFilter = kCLDistanceFilterNone
  var desiredAccuracy = kCLLocationAccuracyBest
  var allowsBackground = false
  var pausesAutomatically = true

  /// Whether updates are on.
  private(set) var isUpdating = false
  /// Whether they are paused, because the device did not move.
  var isPaused = false
  /// Whether significant changes are wanted.
  private(set) var isMonitoring = false
  /// Until when a single place is waited for; nil if none is wanted.
  var requestDeadline: HostTime?
  /// Whether updates were begun in front: then an application with permission for its use goes on getting them.
  private(set) var beganInFront = false
  /// Whether it was told that no place is known, since the last one.
  var isToldOfTrouble = false
  /// The latest of its updates.
  private var latest: Place?
  private var latestSignificant: (place: Place, at: HostTime)?

  /// Whether it wants anything.
  var isActive: Bool { isUpdating && !isPaused || isMonitoring || requestDeadline != nil }

  /// Whether updates may pause now.
  var mayPause: Bool { isUpdating && !isPaused && pausesAutomatically }

  /// Whether an application that does not run is woken for that place.
  func wouldWake(_ place: Place, at now: HostTime) -> Bool {
    var copy = self
    return copy.isSignificant(place, at: now)
  }

  mutating func startUpdating(inFront: Bool) {
    let wasUpdating = isUpdating
    if !wasUpdating { latest = nil }
    isUpdating = true
    isPaused = false
    if !beganInFront || !wasUpdating { beganInFront = inFront }
    isToldOfTrouble = false
  }

  /// The application is in front: updates that are on count as begun there.
  mutating func comeToFront() { beganInFront = beganInFront || isUpdating }

  mutating func stopUpdating() {
    isUpdating = false
    isPaused = false
    requestDeadline = nil
  }

  mutating func startMonitoring() {
    isMonitoring = true
    latestSignificant = nil
    isToldOfTrouble = false
  }

  mutating func stopMonitoring() { isMonitoring = false }

  /// Whether the permission covers updates now.
  func isAllowed(_ status: CLAuthorizationStatus, isInBackground: Bool, hasMode: Bool) -> Bool {
    switch status {
    case .authorizedAlways: true
    case .authorizedWhenInUse: !isInBackground || (beganInFront && allowsBackground && hasMode)
    case .notDetermined, .restricted, .denied: false
    }
  }

  /// The place as the application is to get it; nil if it is not to get it.
  mutating func take(_ place: Place, at now: HostTime) -> Place? {
    let seen = place.coarsened(to: desiredAccuracy)
    let isWanted = requestDeadline != nil || isNews(seen) || isSignificant(place, at: now)
    requestDeadline = nil
    guard isWanted else { return nil }
    isToldOfTrouble = false
    return seen
  }

  private mutating func isNews(_ place: Place) -> Bool {
    guard isUpdating, !isPaused else { return false }
    if let latest {
      // Roughly known, it is nowhere else as long as the square is the same.
      let isSame = latest.latitude == place.latitude && latest.longitude == place.longitude
      if isSame, desiredAccuracy == place.horizontalAccuracy { return false }
      if distanceFilter > 0, latest.distance(to: place) < distanceFilter { return false }
    }
    latest = place
    return true
  }

  private mutating func isSignificant(_ place: Place, at now: HostTime) -> Bool {
    guard isMonitoring else { return false }
    if let last = latestSignificant {
      guard now.seconds(since: last.at) >= Self.significantInterval,
        last.place.distance(to: place) >= Self.significantDistance
      else { return false }
    }
    latestSignificant = (place, now)
    return true
  }
}
