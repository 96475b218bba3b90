public import Foundation

/// A location with its accuracy and timestamp. Immutable; any thread.
open class CLLocation: NSObject, @unchecked Sendable {
  // Unchecked: the compiler cannot check an open class; this constant is its only state.
  private let place: Place

  /// Creates an exact location with the current time, without speed and course.
  public convenience init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
    self.init(
      coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude), altitude: 0,
      horizontalAccuracy: 0, verticalAccuracy: -1, timestamp: Date())
  }

  /// Creates a location without speed and course.
  public convenience init(
    coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
    horizontalAccuracy hAccuracy: CLLocationAccuracy, verticalAccuracy vAccuracy: CLLocationAccuracy,
    timestamp: Date
  ) {
    self.init(
      coordinate: coordinate, altitude: altitude, horizontalAccuracy: hAccuracy, verticalAccuracy: vAccuracy,
      course: -1, speed: -1, timestamp: timestamp)
  }

  /// Creates a location with course and speed.
  public convenience init(
    coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
    horizontalAccuracy hAccuracy: CLLocationAccuracy, verticalAccuracy vAccuracy: CLLocationAccuracy,
    course: CLLocationDirection, speed: CLLocationSpeed, timestamp: Date
  ) {
    self.init(
      coordinate: coordinate, altitude: altitude, horizontalAccuracy: hAccuracy, verticalAccuracy: vAccuracy,
      course: course, courseAccuracy: -1, speed: speed, speedAccuracy: -1, timestamp: timestamp)
  }

  /// Creates a location with course, speed and their accuracies.
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

  /// The latitude and longitude.
  open var coordinate: CLLocationCoordinate2D {
    CLLocationCoordinate2D(latitude: place.latitude, longitude: place.longitude)
  }
  /// The altitude in metres above mean sea level; 0 if unknown.
  open var altitude: CLLocationDistance { place.altitude ?? 0 }
  /// The altitude in metres above the WGS84 ellipsoid; 0 if unknown.
  open var ellipsoidalAltitude: CLLocationDistance { place.ellipsoidalAltitude ?? 0 }
  /// The radius of uncertainty around `coordinate`, in metres; negative if `coordinate` is invalid.
  open var horizontalAccuracy: CLLocationAccuracy { place.horizontalAccuracy }
  /// The accuracy of the altitudes in metres; negative if they are invalid.
  open var verticalAccuracy: CLLocationAccuracy { place.verticalAccuracy }
  /// The course in degrees clockwise from north; negative if unknown.
  open var course: CLLocationDirection { place.course }
  /// The accuracy of `course` in degrees; negative if unknown or `course` is invalid.
  open var courseAccuracy: CLLocationDirectionAccuracy { place.courseAccuracy }
  /// The speed in metres per second; negative if unknown.
  open var speed: CLLocationSpeed { place.speed }
  /// The accuracy of `speed` in metres per second; negative if unknown or `speed` is invalid.
  open var speedAccuracy: CLLocationSpeedAccuracy { place.speedAccuracy }
  /// The date and time of the location.
  open var timestamp: Date { Date(timeIntervalSince1970: place.time) }
  /// The origin of the location. Never nil here.
  open var sourceInformation: CLLocationSourceInformation? {
    CLLocationSourceInformation(softwareSimulationState: place.isSimulated, andExternalAccessoryState: false)
  }

  /// Returns the distance in metres along the shortest line on the WGS84 ellipsoid, ignoring altitudes.
  /// Returns NaN if either location is invalid.
  open func distance(from location: CLLocation) -> CLLocationDistance {
    guard CLLocationCoordinate2DIsValid(coordinate), CLLocationCoordinate2DIsValid(location.coordinate) else {
      return .nan
    }
    return place.distance(to: location.place)
  }

  /// A description such as `<+37.33482105,-122.03350886> +/- 5.00m (speed 15.90 mps / course 255.94) @
  /// 12/21/14, 8:05:13 PM Pacific Standard Time`.
  open override var description: String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.dateFormat = "M/d/yy, h:mm:ss a zzzz"
    return String(
      format: "<%+.8f,%+.8f> +/- %.2fm (speed %.2f mps / course %.2f) @ %@", coordinate.latitude,
      coordinate.longitude, horizontalAccuracy, speed, course, formatter.string(from: timestamp))
  }
}

/// The origin of a location.
open class CLLocationSourceInformation: NSObject, @unchecked Sendable {
  // Unchecked: the compiler cannot check an open class; these two constants are its only state.
  /// Whether the location was simulated, for example by a `LocationTrack`.
  public let isSimulatedBySoftware: Bool
  /// Whether the location comes from an external accessory. False for every `CLLocation`, also with gpsd.
  public let isProducedByAccessory: Bool

  /// Creates information with the given values.
  public init(softwareSimulationState isSoftware: Bool, andExternalAccessoryState isAccessory: Bool) {
    isSimulatedBySoftware = isSoftware
    isProducedByAccessory = isAccessory
  }
}
