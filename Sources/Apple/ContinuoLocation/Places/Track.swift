import Glibc

/// The track of a device, as a value: way points with the times at which they are passed.
struct Track: Hashable, Sendable {
  struct Point: Hashable, Sendable {
    var latitude: Double
    var longitude: Double
    /// The altitude in metres above mean sea level; nil if unknown.
    var altitude: Double?
    /// The time in seconds since 1970; nil if unknown.
    var time: Double?
  }

  /// The maximum number of points: at one per second, almost six days.
  static let pointLimit = 500_000
  /// The maximum duration in seconds: a year.
  static let longest = 31_536_000.0
  /// The speed in metres per second on a track without times: running speed.
  static let speedWithoutTimes = 3.0
  /// The accuracy in metres: that of simulated locations on Apple's systems.
  private static let accuracy = 5.0

  private let points: [Point]
  /// The time at which each point is passed, in seconds from the first.
  private let offsets: [Double]
  /// The time of the first point, in seconds since 1970; nil if the points have no times.
  let startTime: Double?

  /// The duration from the first point to the last, in seconds.
  var duration: Double { offsets[offsets.count - 1] }

  /// Creates a track through these points. Throws unless all have times, in ascending order, or none has. Throws also
  /// without points, and above `pointLimit` or `longest`.
  init(_ points: [Point]) throws(LocationTrackError) {
    guard let first = points.first else { throw LocationTrackError("no points") }
    guard points.count <= Self.pointLimit else {
      throw LocationTrackError("more than \(Self.pointLimit) points")
    }
    self.points = points
    startTime = first.time
    var offsets = [0.0]
    for (index, (point, next)) in zip(points, points.dropFirst()).enumerated() {
      switch (first.time, next.time) {
      case (let start?, let time?):
        guard time - start >= offsets[index] else {
          throw LocationTrackError("point \(index + 2) comes before the one in front of it")
        }
        offsets.append(time - start)
      case (nil, nil):
        let way = WGS84.distance(
          latitude: point.latitude, longitude: point.longitude, toLatitude: next.latitude,
          longitude: next.longitude)
        offsets.append(offsets[index] + way / Self.speedWithoutTimes)
      case (nil, _?), (_?, nil): throw LocationTrackError("some points have times and others have none")
      }
    }
    guard offsets[offsets.count - 1] <= Self.longest else { throw LocationTrackError("longer than a year") }
    self.offsets = offsets
  }

  /// Returns the location at `elapsed` seconds after the first point; see `LocationTrack`. `time` is its
  /// timestamp, in seconds since 1970.
  func place(at elapsed: Double, time: Double) -> Place {
    // Find the last point passed.
    var (low, high) = (0, points.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if offsets[middle] <= elapsed { low = middle } else { high = middle }
    }
    let point = points[low]
    var place = Place(
      latitude: point.latitude, longitude: point.longitude, altitude: point.altitude,
      horizontalAccuracy: Self.accuracy, verticalAccuracy: point.altitude == nil ? -1 : Self.accuracy,
      speed: 0, time: time, isSimulated: true)
    guard high < points.count else { return place }
    let next = points[high]
    let seconds = offsets[high] - offsets[low]
    guard seconds > 0 else { return place }
    let part = max(0, elapsed - offsets[low]) / seconds
    let north = next.latitude - point.latitude
    // The shorter way around the Earth.
    let east = remainder(next.longitude - point.longitude, 360)
    place.latitude += north * part
    place.longitude = remainder(point.longitude + east * part, 360)
    if let altitude = point.altitude, let nextAltitude = next.altitude {
      place.altitude = altitude + (nextAltitude - altitude) * part
    }
    let meters = WGS84.metersPerDegree(atLatitude: place.latitude)
    place.speed = hypot(north * meters.north, east * meters.east) / seconds
    if place.speed > 0 {
      let degrees = atan2(east * meters.east, north * meters.north) * 180 / .pi
      place.course = degrees < 0 ? degrees + 360 : degrees
      // In floating point -1e-20 + 360 is 360.
      if place.course >= 360 { place.course = 0 }
    }
    return place
  }
}

/// An error in a track, its file, or the option text of a location source.
public struct LocationTrackError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A short description for the user.
  public let reason: String

  init(_ reason: String) { self.reason = reason }

  /// The same text as `reason`.
  public var description: String { reason }
}
