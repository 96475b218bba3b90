public import Foundation

/// An area that applications monitor on Apple's systems. Regions are not monitored here.
open class CLRegion: NSObject, @unchecked Sendable {
  // Unchecked: the compiler cannot check an open class; this constant is its only state.

  /// The application's name of the region.
  public let identifier: String

  init(identifier: String) { self.identifier = identifier }
}

/// A circle on the Earth's surface. Regions are not monitored here.
open class CLCircularRegion: CLRegion, @unchecked Sendable {
  // Unchecked: the compiler cannot check an open class; these constants are its only state.

  /// The centre of the circle.
  public let center: CLLocationCoordinate2D
  /// The radius in metres.
  public let radius: CLLocationDistance

  /// Creates a circle of `radius` metres.
  public init(center: CLLocationCoordinate2D, radius: CLLocationDistance, identifier: String) {
    self.center = center
    self.radius = radius
    super.init(identifier: identifier)
  }

  /// Returns whether the circle contains a coordinate.
  open func contains(_ coordinate: CLLocationCoordinate2D) -> Bool {
    let (here, there) = (center, coordinate)
    return CLLocation(latitude: here.latitude, longitude: here.longitude)
      .distance(from: CLLocation(latitude: there.latitude, longitude: there.longitude)) <= radius
  }
}

/// A direction of the device. Does not occur, because there is no compass.
open class CLHeading: NSObject, @unchecked Sendable {
  // Unchecked: the compiler cannot check an open class. This class has no state.

  override init() {}

  /// The direction in degrees clockwise from magnetic north.
  open var magneticHeading: CLLocationDirection { 0 }
  /// The direction in degrees clockwise from true north; negative if unknown.
  open var trueHeading: CLLocationDirection { -1 }
  /// The accuracy in degrees; negative if the heading is invalid.
  open var headingAccuracy: CLLocationDirection { -1 }
}

/// A stay at one place. Does not occur, because visits are not monitored.
open class CLVisit: NSObject, @unchecked Sendable {
  // Unchecked: the compiler cannot check an open class. This class has no state.

  override init() {}

  /// The date of the arrival.
  open var arrivalDate: Date { .distantPast }
  /// The date of the departure.
  open var departureDate: Date { .distantFuture }
  /// The place of the stay.
  open var coordinate: CLLocationCoordinate2D { CLLocationCoordinate2D(latitude: 0, longitude: 0) }
  /// The accuracy of `coordinate` in metres.
  open var horizontalAccuracy: CLLocationAccuracy { -1 }
}
