import Glibc

/// A way that a device goes, as a value: way points, each with the moment at which it is passed.
struct Track: Hashable, Sendable {
  struct Point: Hashable, Sendable {
    var latitude: Double
    var longitude: Double
    /// Metres above mean sea level; nil if it is not known.
    var altitude: Double?
    /// Seconds since 1970; nil if it is not known.
    var time: Double?
  }

  /// More than a year of one a second.
  static let pointLimit = 500_000
  /// The longest, in seconds: a year.
  static let longest = 31_536_000.0
  /// Metres per second on a way whose points have no times: a run.
  static let speedWithoutTimes = 3.0
  /// Metres: what simulated places have on Apple's systems.
  private static let accuracy = 5.0

  private let points: [Point]
  /// When each point is passed, in seconds from the first.
  private let offsets: [Double]
  /// When the first is passed, in seconds since 1970; nil if the points have no times.
  let startTime: Double?

  /// Seconds from the first point to the last.
  var duration: Double { offsets[offsets.count - 1] }

  /// A way along these points. Either all have times, in ascending order, or none has.
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
      case (nil, _?), (_?, nil):
        throw LocationTrackError("some points have times and others have none")
      }
    }
    guard offsets[offsets.count - 1] <= Self.longest else { throw LocationTrackError("longer than a year") }
    self.offsets = offsets
  }

  /// Where the device is so many seconds after the first point: between two points on the straight line in degrees, at an
  /// even speed; from the last point on it stands there. `time`: what that moment is called, in seconds since 1970.
  func place(at elapsed: Double, time: Double) -> Place {
    // The last point that is passed.
    var (low, high) = (0, points.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if offsets[middle] <= elapsed { low = middle } else { high = middle }
    }
    let point = points[low]
    var place = Place(
      latitude: point.latitude, longitude: point.longitude, altitude: point.altitude,
      horizontalAccuracy: Self.accuracy, verticalAccuracy: point.altitude == nil ? -1 : Self.accuracy,
      speed: 0,
      time: time, isSimulated: true)
    guard high < points.count else { return place }
    let next = points[high]
    let seconds = offsets[high] - offsets[low]
    guard seconds > 0 else { return place }
    let part = max(0, elapsed - offsets[low]) / seconds
    let north = next.latitude - point.latitude
    // The short way round.
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
      // -1e-20 + 360 is 360.
      if place.course >= 360 { place.course = 0 }
    }
    return place
  }
}

/// Why there is no such way.
public struct LocationTrackError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A few words for a person.
  public let reason: String

  init(_ reason: String) { self.reason = reason }

  /// `reason`.
  public var description: String { reason }
}
