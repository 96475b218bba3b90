public import Foundation

/// Degrees.
public typealias CLLocationDegrees = Double
/// Metres.
public typealias CLLocationDistance = Double
/// Metres; negative if something is not known.
public typealias CLLocationAccuracy = Double
/// Metres per second; negative if it is not known.
public typealias CLLocationSpeed = Double
/// Metres per second; negative if it is not known.
public typealias CLLocationSpeedAccuracy = Double
/// Degrees clockwise from north; negative if it is not known.
public typealias CLLocationDirection = Double
/// Degrees; negative if it is not known.
public typealias CLLocationDirectionAccuracy = Double

/// Latitude and longitude on the WGS84 ellipsoid.
public struct CLLocationCoordinate2D: Sendable {
  /// Degrees north of the equator.
  public var latitude: CLLocationDegrees
  /// Degrees east of Greenwich.
  public var longitude: CLLocationDegrees

  /// On the equator south of Greenwich's meridian: 0, 0.
  public init() {
    latitude = 0
    longitude = 0
  }

  /// That latitude and longitude.
  public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
    self.latitude = latitude
    self.longitude = longitude
  }
}

/// That latitude and longitude.
public func CLLocationCoordinate2DMake(
  _ latitude: CLLocationDegrees, _ longitude: CLLocationDegrees
) -> CLLocationCoordinate2D {
  CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
}

/// Whether there is such a place: latitudes from -90 to 90, longitudes from -180 to 180.
public func CLLocationCoordinate2DIsValid(_ coord: CLLocationCoordinate2D) -> Bool {
  Place.isValid(latitude: coord.latitude, longitude: coord.longitude)
}

/// No place: not valid.
public let kCLLocationCoordinate2DInvalid = CLLocationCoordinate2D(latitude: -180, longitude: -180)

/// Every movement is reported.
public let kCLDistanceFilterNone: CLLocationDistance = -1
/// The longest distance.
public let CLLocationDistanceMax: CLLocationDistance = .greatestFiniteMagnitude
/// The longest time, in seconds.
public let CLTimeIntervalMax: TimeInterval = .greatestFiniteMagnitude

/// As accurate as possible, with the help of other sensors. Here the same as `kCLLocationAccuracyBest`.
public let kCLLocationAccuracyBestForNavigation: CLLocationAccuracy = -2
/// As accurate as possible.
public let kCLLocationAccuracyBest: CLLocationAccuracy = -1
/// Within ten metres.
public let kCLLocationAccuracyNearestTenMeters: CLLocationAccuracy = 10
/// Within a hundred metres.
public let kCLLocationAccuracyHundredMeters: CLLocationAccuracy = 100
/// Within a kilometre.
public let kCLLocationAccuracyKilometer: CLLocationAccuracy = 1000
/// Within three kilometres.
public let kCLLocationAccuracyThreeKilometers: CLLocationAccuracy = 3000
