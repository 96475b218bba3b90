public import Foundation
import SystemSupport

/// A track that a device follows. Between two points the device moves uniformly on a straight line in
/// degrees, with the resulting speed and course. After the last point the device is stationary.
public struct LocationTrack: Hashable, Sendable {
  /// The maximum size of a GPX file, in bytes.
  public static let fileLimit = 64 << 20

  let track: Track

  /// Creates the track in a GPX file: its way points, as in Xcode; otherwise its track points, otherwise its
  /// route points. With times, in ascending order, the device passes each point at its time; without times it
  /// moves at 3 m/s. Throws an error for a file of more than 64 MiB or with a document type declaration. Throws also
  /// without points, above 500,000 points or a year, and if only some points have times.
  /// Loads Expat (Debian package libexpat1) on first use. Blocks while the file is read.
  public init(gpx url: URL) throws(LocationTrackError) {
    let path = url.path(percentEncoded: false)
    do { track = try GPXReader.track(in: try FileBytes.read(path, limit: Self.fileLimit)) } catch {
      throw LocationTrackError("\(path): \(error)")
    }
  }

  /// Creates the track in the content of a GPX file, as `init(gpx:)` with a URL does, but of any size.
  public init(gpx data: Data) throws(LocationTrackError) { track = try GPXReader.track(in: Array(data)) }

  /// Creates a track through `coordinates` with the given duration and constant speed. With a single location the device
  /// is stationary, and the track has no duration. Throws an error without coordinates, for invalid ones, above 500,000
  /// of them, and for more than a year.
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

  /// Returns a drive of 20 km at 30 m/s on an invented freeway, which winds westwards.
  public static func freewayDrive() throws(LocationTrackError) -> LocationTrack {
    let (count, step) = (41, 500.0)
    var place = CLLocationCoordinate2D(latitude: 37.335, longitude: -122.0335)
    var places: [CLLocationCoordinate2D] = []
    for index in 0..<count {
      places.append(place)
      let course = (260 + 30 * sin(Double(index) / 4)) * .pi / 180
      // The length of a degree, in metres, precise enough for an invented route.
      let degree = 111_320.0
      place.longitude += step * sin(course) / (degree * cos(place.latitude * .pi / 180))
      place.latitude += step * cos(course) / degree
    }
    return try LocationTrack(through: places, in: .seconds(Double(count - 1) * step / 30))
  }

  /// The duration of the track.
  public var duration: Duration { .seconds(track.duration) }

  /// The first timestamp of a track without times, in seconds since 1970: the beginning of 2001.
  static let zero = Date(timeIntervalSinceReferenceDate: 0).timeIntervalSince1970
}
