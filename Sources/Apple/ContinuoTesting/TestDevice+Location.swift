import AppLifecycle
@_exported public import ContinuoLocation
import Foundation

/// Location of the device.
extension TestDevice {
  /// The device's location services, for functions not offered here.
  public var location: DeviceLocation { system.location }

  /// Moves the device along `track` from now on, with a new location once a second. Each location delivered to a
  /// location manager adds a line to the record, such as `location 52.51627,13.37770`. For a track without timestamps, the
  /// locations' timestamps begin in 2001.
  public func travel(along track: LocationTrack) async {
    await happen { $0.location.setSource(.travel(along: track)) }
  }

  /// Removes the source of locations: the device finds no new location.
  public func loseLocation() async { await happen { $0.location.setSource(.none) } }

  /// Changes the application's permission, as a user does in the settings.
  public func setLocationAuthorization(_ status: CLAuthorizationStatus) async {
    await happen { $0.location.authorization = status }
  }
}

extension Recorder {
  func add(_ location: CLLocation) {
    let place = location.coordinate
    add(String(format: "location %.5f,%.5f", place.latitude, place.longitude))
  }
}
