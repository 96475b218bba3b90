import AppLifecycle
@_exported public import ContinuoLocation
import Foundation

/// Where the device is.
extension TestDevice {
  /// The device's location services, for everything that is not here.
  public var location: DeviceLocation { system.location }

  /// The device goes along `track` from now on: a new place once a second. Each that the application is told of has a line in
  /// the record, like `location 52.51627,13.37770`. The times of the places are those of the track, or begin with 2001.
  public func travel(along track: LocationTrack) async {
    await happen { $0.location.setSource(.travel(along: track)) }
  }

  /// The device knows no more where it is.
  public func loseLocation() async { await happen { $0.location.setSource(.none) } }

  /// A person changes the application's permission in the settings.
  public func setLocationAuthorization(_ status: CLAuthorizationStatus) async {
    await happen { $0.location.authorization = status }
  }
}

extension Recorder {
  /// Writes down a place that the application is told of.
  func add(_ location: CLLocation) {
    let place = location.coordinate
    add(String(format: "location %.5f,%.5f", place.latitude, place.longitude))
  }
}
