import Glibc

/// Where the device is at a moment, as a source tells it. Degrees on the WGS84 ellipsoid, metres, metres per second.
struct Place: Hashable, Sendable {
  var latitude: Double
  var longitude: Double
  /// Above mean sea level; nil if it is not known.
  var altitude: Double?
  /// Above the ellipsoid; nil if it is not known.
  var ellipsoidalAltitude: Double?
  /// Of latitude and longitude.
  var horizontalAccuracy: Double
  /// Of the altitudes; negative if they are not known.
  var verticalAccuracy = -1.0
  /// Negative if it is not known.
  var speed = -1.0
  /// Negative if it is not known.
  var speedAccuracy = -1.0
  /// Degrees from north, clockwise, below 360; negative if it is not known.
  var course = -1.0
  /// Negative if it is not known.
  var courseAccuracy = -1.0
  /// Seconds since 1970.
  var time: Double
  /// Whether nobody measured it.
  var isSimulated = false

  /// Whether these are degrees of a place on Earth.
  static func isValid(latitude: Double, longitude: Double) -> Bool {
    (-90...90).contains(latitude) && (-180...180).contains(longitude)
  }

  /// Metres to another place along the shortest line.
  func distance(to other: Place) -> Double {
    WGS84.distance(
      latitude: latitude, longitude: longitude, toLatitude: other.latitude, longitude: other.longitude)
  }

  /// The place as one knows it who does not ask for more than that accuracy in metres: the middle of a square that is so
  /// long and wide, with no speed and no course. Itself if it is less accurate anyway.
  func coarsened(to accuracy: Double) -> Place {
    guard accuracy > horizontalAccuracy else { return self }
    func middle(_ degrees: Double, _ metersPerDegree: Double) -> Double {
      // Around a pole there is one square.
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

/// What a source of places says.
enum PlaceReport: Hashable, Sendable {
  /// The device is there now.
  case place(Place)
  /// No place is known at present, for that reason. Places may follow.
  case unavailable(String)
}

/// Where places come from.
protocol PlaceSource: AnyObject, Sendable {
  /// Reports from now on: first the present place, if it is known, then each new one. Not called again before `stop`. Does
  /// not block. `report` is called on a thread of the source's, never inside of this call, one call at a time.
  func start(_ report: @escaping @Sendable (PlaceReport) -> Void)

  /// Stops. Does not block; a call of `report` that is in progress goes on.
  func stop()
}
