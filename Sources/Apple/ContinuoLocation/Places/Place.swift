import Glibc

/// A location of the device at a given time, as reported by a source. Units: degrees on the WGS84 ellipsoid,
/// metres, metres per second.
struct Place: Hashable, Sendable {
  var latitude: Double
  var longitude: Double
  /// The altitude above mean sea level; nil if unknown.
  var altitude: Double?
  /// The altitude above the ellipsoid; nil if unknown.
  var ellipsoidalAltitude: Double?
  /// The accuracy of latitude and longitude.
  var horizontalAccuracy: Double
  /// The accuracy of the altitudes; negative if unknown.
  var verticalAccuracy = -1.0
  /// The speed; negative if unknown.
  var speed = -1.0
  /// The accuracy of the speed; negative if unknown.
  var speedAccuracy = -1.0
  /// The course in degrees clockwise from north, below 360; negative if unknown.
  var course = -1.0
  /// The accuracy of the course; negative if unknown.
  var courseAccuracy = -1.0
  /// The timestamp, in seconds since 1970.
  var time: Double
  /// Whether the location is simulated.
  var isSimulated = false

  /// Returns whether latitude and longitude are in range.
  static func isValid(latitude: Double, longitude: Double) -> Bool {
    (-90...90).contains(latitude) && (-180...180).contains(longitude)
  }

  /// Returns the distance in metres along the shortest line.
  func distance(to other: Place) -> Double {
    WGS84.distance(
      latitude: latitude, longitude: longitude, toLatitude: other.latitude, longitude: other.longitude)
  }

  /// Returns the location reduced to the given accuracy in metres: the middle of a square of that size,
  /// without speed and course. Returns the location itself if it is less accurate.
  func coarsened(to accuracy: Double) -> Place {
    guard accuracy > horizontalAccuracy else { return self }
    func middle(_ degrees: Double, _ metersPerDegree: Double) -> Double {
      // The area around a pole is one square.
      guard metersPerDegree > 0, accuracy / metersPerDegree < 180 else { return 0 }
      let side = accuracy / metersPerDegree
      return ((degrees / side).rounded(.down) + 0.5) * side
    }
    var result = self
    result.latitude = min(90, max(-90, middle(latitude, WGS84.metersPerDegree(atLatitude: 0).north)))
    let east = WGS84.metersPerDegree(atLatitude: result.latitude).east
    result.longitude = remainder(middle(longitude, east), 360)
    result.horizontalAccuracy = accuracy
    result.speed = -1
    result.speedAccuracy = -1
    result.course = -1
    result.courseAccuracy = -1
    return result
  }
}

/// A report of a source.
enum PlaceReport: Hashable, Sendable {
  /// The current location of the device.
  case place(Place)
  /// No location is available, for the given reason. Locations may follow.
  case unavailable(String)
}

/// A source of locations.
protocol PlaceSource: AnyObject, Sendable {
  /// Starts reports: first the current location, if known, then each new one. Must not be called again before
  /// `stop`. Does not block. `report` is called on a thread of the source, one call at a time, and never
  /// inside this call.
  func start(_ report: @escaping @Sendable (PlaceReport) -> Void)

  /// Stops the reports. Does not block; a call of `report` in progress continues.
  func stop()
}
