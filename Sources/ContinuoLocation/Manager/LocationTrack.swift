import AppLifecycle
public import Foundation

/// A way that a device goes: a GPX file, or a few places.
///
/// Between two of its points the device moves evenly on a straight line in degrees, with the speed and the course that
/// follow from them; from the last one on it stands there.
public struct LocationTrack: Hashable, Sendable {
  /// The largest GPX file that is read, in bytes.
  public static let fileLimit = 64 << 20

  let track: Track

  /// The way in a GPX file: its way points, which are what Xcode goes by; if it has none, the points of its tracks, and
  /// then those of its routes. With times, in ascending order, the device passes each point at its time; without times it
  /// moves at 3 m/s. Files with a document type declaration, of more than 64 MiB, or with more than 500,000 points are
  /// refused. Needs Expat (Debian's package libexpat1), which is loaded then. Blocks while the file is read.
  public init(gpx url: URL) throws(LocationTrackError) {
    let path = url.path(percentEncoded: false)
    let bytes: [UInt8]
    do throws(RegularFileError) {
      bytes = try RegularFile.bytes(of: path, limit: Self.fileLimit)
    } catch {
      throw LocationTrackError("\(path): \(error.reason)")
    }
    do throws(LocationTrackError) { track = try GPXReader.track(in: bytes) } catch {
      throw LocationTrackError("\(path): \(error.reason)")
    }
  }

  /// The way in the content of a GPX file, as for `init(gpx:)` with a URL.
  public init(gpx data: Data) throws(LocationTrackError) { track = try GPXReader.track(in: Array(data)) }

  /// The way through these places, in that time, at an even speed. One place: the device stands there.
  public init(
    through coordinates: [CLLocationCoordinate2D], in duration: Duration = .zero
  ) throws(LocationTrackError) {
    for place in coordinates where !CLLocationCoordinate2DIsValid(place) {
      throw LocationTrackError(
        "there is no place at latitude \(place.latitude), longitude \(place.longitude)")
    }
    var ways = [0.0]
    for (place, next) in zip(coordinates, coordinates.dropFirst()) {
      ways.append(
        (ways.last ?? 0)
          + WGS84.distance(
            latitude: place.latitude, longitude: place.longitude, toLatitude: next.latitude,
            longitude: next.longitude))
    }
    let whole = ways.last ?? 0
    let seconds = max(0, duration / .seconds(1))
    track = try Track(
      zip(coordinates, ways).map { place, way in
        Track.Point(
          latitude: place.latitude, longitude: place.longitude,
          time: Self.zero + (whole > 0 ? seconds * (way / whole) : 0))
      })
  }

  /// How long the device is on its way.
  public var duration: Duration { .seconds(track.duration) }

  /// What the first moment of a way is called that has no times, in seconds since 1970: the beginning of 2001.
  static let zero = Date(timeIntervalSinceReferenceDate: 0).timeIntervalSince1970
}
