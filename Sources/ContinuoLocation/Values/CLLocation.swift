public import Foundation

/// A place, how accurately it is known, and the moment at which the device was there.
///
/// Never changes; any thread.
open class CLLocation: NSObject, @unchecked Sendable {
  // Unchecked: an open class cannot be checked, and this is all that it has.
  private let place: Place

  /// That place, known exactly, now, with no speed and no course.
  public convenience init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
    self.init(
      coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude), altitude: 0,
      horizontalAccuracy: 0, verticalAccuracy: -1, timestamp: Date())
  }

  /// That place, with no speed and no course.
  public convenience init(
    coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
    horizontalAccuracy hAccuracy: CLLocationAccuracy, verticalAccuracy vAccuracy: CLLocationAccuracy,
    timestamp: Date
  ) {
    self.init(
      coordinate: coordinate, altitude: altitude, horizontalAccuracy: hAccuracy, verticalAccuracy: vAccuracy,
      course: -1, speed: -1, timestamp: timestamp)
  }

  /// That place, with course and speed.
  public convenience init(
    coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
    horizontalAccuracy hAccuracy: CLLocationAccuracy, verticalAccuracy vAccuracy: CLLocationAccuracy,
    course: CLLocationDirection, speed: CLLocationSpeed, timestamp: Date
  ) {
    self.init(
      coordinate: coordinate, altitude: altitude, horizontalAccuracy: hAccuracy, verticalAccuracy: vAccuracy,
      course: course, courseAccuracy: -1, speed: speed, speedAccuracy: -1, timestamp: timestamp)
  }

  /// That place, with course and speed and their accuracies.
  public convenience init(
    coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
    horizontalAccuracy hAccuracy: CLLocationAccuracy, verticalAccuracy vAccuracy: CLLocationAccuracy,
    course: CLLocationDirection, courseAccuracy: CLLocationDirectionAccuracy, speed: CLLocationSpeed,
    speedAccuracy: CLLocationSpeedAccuracy, timestamp: Date
  ) {
    self.init(
      Place(
        latitude: coordinate.latitude, longitude: coordinate.longitude, altitude: altitude,
        horizontalAccuracy: hAccuracy, verticalAccuracy: vAccuracy, speed: speed,
        speedAccuracy: speedAccuracy, course: course, courseAccuracy: courseAccuracy,
        time: timestamp.timeIntervalSince1970))
  }

  init(_ place: Place) {
    self.place = place
    super.init()
  }

  /// Latitude and longitude.
  open var coordinate: CLLocationCoordinate2D {
    CLLocationCoordinate2D(latitude: place.latitude, longitude: place.longitude)
  }
  /// Metres above mean sea level; 0 if it is not known.
  open var altitude: CLLocationDistance { place.altitude ?? 0 }
  /// Metres above the WGS84 ellipsoid; 0 if it is not known.
  open var ellipsoidalAltitude: CLLocationDistance { place.ellipsoidalAltitude ?? 0 }
  /// Metres around `coordinate`; negative if that is not valid.
  open var horizontalAccuracy: CLLocationAccuracy { place.horizontalAccuracy }
  /// Metres above and below the altitudes; negative if they are not valid.
  open var verticalAccuracy: CLLocationAccuracy { place.verticalAccuracy }
  /// Degrees clockwise from north; negative if it is not known.
  open var course: CLLocationDirection { place.course }
  /// Degrees; negative if `course` is not valid or nothing is known of it.
  open var courseAccuracy: CLLocationDirectionAccuracy { place.courseAccuracy }
  /// Metres per second; negative if it is not known.
  open var speed: CLLocationSpeed { place.speed }
  /// Metres per second; negative if `speed` is not valid or nothing is known of it.
  open var speedAccuracy: CLLocationSpeedAccuracy { place.speedAccuracy }
  /// When the device was there.
  open var timestamp: Date { Date(timeIntervalSince1970: place.time) }
  /// Where the place comes from.
  open var sourceInformation: CLLocationSourceInformation? {
    CLLocationSourceInformation(softwareSimulationState: place.isSimulated, andExternalAccessoryState: false)
  }

  /// Metres to another place along the shortest line on the WGS84 ellipsoid, without the altitudes. NaN if one of the two
  /// is no valid place.
  open func distance(from location: CLLocation) -> CLLocationDistance {
    guard CLLocationCoordinate2DIsValid(coordinate), CLLocationCoordinate2DIsValid(location.coordinate) else {
      return .nan
    }
    return place.distance(to: location.place)
  }

  /// `<+37.33482105,-122.03350886> +/- 5.00m (speed 15.90 mps / course 255.94) @ 12/21/14, 8:05:13 PM Pacific Standard Time`
  open override var description: String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.dateFormat = "M/d/yy, h:mm:ss a zzzz"
    return String(
      format: "<%+.8f,%+.8f> +/- %.2fm (speed %.2f mps / course %.2f) @ %@", coordinate.latitude,
      coordinate.longitude, horizontalAccuracy, speed, course, formatter.string(from: timestamp))
  }
}

/// Where a place comes from.
open class CLLocationSourceInformation: NSObject, @unchecked Sendable {
  // Unchecked: an open class cannot be checked, and these two are all that it has.
  /// Whether it was simulated: by a GPX file, or in virtual time.
  public let isSimulatedBySoftware: Bool
  /// Whether it comes from an accessory.
  public let isProducedByAccessory: Bool

  /// Information with these values.
  public init(softwareSimulationState isSoftware: Bool, andExternalAccessoryState isAccessory: Bool) {
    isSimulatedBySoftware = isSoftware
    isProducedByAccessory = isAccessory
  }
}
