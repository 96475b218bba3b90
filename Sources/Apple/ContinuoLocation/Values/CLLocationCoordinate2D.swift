public import Foundation

/// An angle in degrees.
public typealias CLLocationDegrees = Double
/// A distance in metres.
public typealias CLLocationDistance = Double
/// An accuracy in metres; negative if the value is unknown.
public typealias CLLocationAccuracy = Double
/// A speed in metres per second; negative if unknown.
public typealias CLLocationSpeed = Double
/// The accuracy of a speed, in metres per second; negative if unknown.
public typealias CLLocationSpeedAccuracy = Double
/// A direction in degrees clockwise from north; negative if unknown.
public typealias CLLocationDirection = Double
/// The accuracy of a direction, in degrees; negative if unknown.
public typealias CLLocationDirectionAccuracy = Double

/// Latitude and longitude on the WGS84 ellipsoid.
public struct CLLocationCoordinate2D: Sendable {
  /// The latitude in degrees north of the equator.
  public var latitude: CLLocationDegrees
  /// The longitude in degrees east of Greenwich.
  public var longitude: CLLocationDegrees

  /// Creates the coordinate 0, 0.
  public init() { self.init(latitude: 0, longitude: 0) }

  /// Creates a coordinate from latitude and longitude.
  public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
    self.latitude = latitude
    self.longitude = longitude
  }
}

/// Creates a coordinate from latitude and longitude.
public func CLLocationCoordinate2DMake(
  _ latitude: CLLocationDegrees, _ longitude: CLLocationDegrees
) -> CLLocationCoordinate2D {
  CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
}

/// Returns whether the coordinate is valid: latitude from -90 to 90, longitude from -180 to 180.
public func CLLocationCoordinate2DIsValid(_ coord: CLLocationCoordinate2D) -> Bool {
  Place.isValid(latitude: coord.latitude, longitude: coord.longitude)
}

/// A coordinate that is invalid.
public let kCLLocationCoordinate2DInvalid = CLLocationCoordinate2D(latitude: -180, longitude: -180)

/// The distance filter without a minimum movement.
public let kCLDistanceFilterNone: CLLocationDistance = -1
/// The maximum distance, in metres.
public let CLLocationDistanceMax: CLLocationDistance = .greatestFiniteMagnitude
/// The maximum time, in seconds.
public let CLTimeIntervalMax: TimeInterval = .greatestFiniteMagnitude

/// The accuracy of approximate locations in metres, the same as `kCLLocationAccuracyThreeKilometers`.
public let kCLLocationAccuracyReduced: CLLocationAccuracy = 3000
/// The best accuracy with additional sensors. Has the same effect as `kCLLocationAccuracyBest` here.
public let kCLLocationAccuracyBestForNavigation: CLLocationAccuracy = -2
/// The best accuracy available.
public let kCLLocationAccuracyBest: CLLocationAccuracy = -1
/// An accuracy of ten metres.
public let kCLLocationAccuracyNearestTenMeters: CLLocationAccuracy = 10
/// An accuracy of a hundred metres.
public let kCLLocationAccuracyHundredMeters: CLLocationAccuracy = 100
/// An accuracy of a kilometre.
public let kCLLocationAccuracyKilometer: CLLocationAccuracy = 1000
/// An accuracy of three kilometres.
public let kCLLocationAccuracyThreeKilometers: CLLocationAccuracy = 3000
