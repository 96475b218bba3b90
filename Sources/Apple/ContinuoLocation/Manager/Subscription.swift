import Clocks

/// The subscription of one manager, as a value that decides which locations are delivered to it.
struct Subscription: Sendable {
  /// The minimum distance in metres between reports of significant changes.
  static let significantDistance = 500.0
  /// The minimum time in seconds between reports of significant changes.
  static let significantInterval = 300.0
  /// The timeout of a single request, in seconds.
  static let requestLimit = 10.0

  var distanceFilter = kCLDistanceFilterNone
  var desiredAccuracy = kCLLocationAccuracyBest
  var allowsBackground = false
  var pausesAutomatically = true

  private(set) var isUpdating = false
  /// Whether updates are paused because the device did not move.
  var isPaused = false
  private(set) var isMonitoring = false
  /// The deadline of a single request; nil if none is pending.
  var requestDeadline: HostTime?
  /// Whether updates began in the foreground. With `authorizedWhenInUse` only such updates may continue in
  /// the background.
  var beganInFront = false
  /// Whether unavailability was reported since the last location.
  var isToldOfTrouble = false
  private var latest: Place?
  private var latestSignificant: (place: Place, at: HostTime)?

  var hasRunningUpdates: Bool { isUpdating && !isPaused }

  var isActive: Bool { hasRunningUpdates || isMonitoring || requestDeadline != nil }

  /// Whether updates, monitoring or a request has begun since this subscription was `old`.
  func hasBegun(since old: Subscription) -> Bool {
    hasRunningUpdates && !old.hasRunningUpdates || isMonitoring && !old.isMonitoring
      || requestDeadline != old.requestDeadline
  }

  var mayPause: Bool { hasRunningUpdates && pausesAutomatically }

  func wouldWake(_ place: Place, at now: HostTime) -> Bool {
    var copy = self
    return copy.isSignificant(place, at: now)
  }

  mutating func startUpdating(inFront: Bool) {
    if !isUpdating { latest = nil }
    if !isUpdating || !beganInFront { beganInFront = inFront }
    if !hasRunningUpdates { isToldOfTrouble = false }
    isUpdating = true
    isPaused = false
  }

  /// Marks running updates as begun in the foreground, because the application has entered it.
  mutating func comeToFront() { beganInFront = beganInFront || isUpdating }

  mutating func stopUpdating() {
    isUpdating = false
    isPaused = false
    requestDeadline = nil
  }

  mutating func startMonitoring() {
    guard !isMonitoring else { return }
    isMonitoring = true
    latestSignificant = nil
    isToldOfTrouble = false
  }

  mutating func stopMonitoring() { isMonitoring = false }

  func isAllowed(_ status: CLAuthorizationStatus, isInBackground: Bool, hasMode: Bool) -> Bool {
    switch status {
    case .authorizedAlways: true
    case .authorizedWhenInUse: !isInBackground || (beganInFront && allowsBackground && hasMode)
    case .notDetermined, .restricted, .denied: false
    }
  }

  /// Returns the location at the desired accuracy; nil if it must not be delivered.
  mutating func take(_ place: Place, at now: HostTime) -> Place? {
    let seen = place.coarsened(to: desiredAccuracy)
    // Both functions must be called: each stores the location that it accepts, whichever causes the delivery.
    let (isNews, isSignificant) = (isNews(seen), isSignificant(place, at: now))
    let isWanted = requestDeadline != nil || isNews || isSignificant
    requestDeadline = nil
    guard isWanted else { return nil }
    isToldOfTrouble = false
    return seen
  }

  private mutating func isNews(_ place: Place) -> Bool {
    guard hasRunningUpdates else { return false }
    if let latest {
      // At reduced accuracy the location is unchanged within the same square.
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
