import Glibc

/// The reference ellipsoid of satellite navigation.
enum WGS84 {
  /// The equatorial radius, in metres.
  static let semiMajorAxis = 6_378_137.0
  static let flattening = 1 / 298.257_223_563
  private static let semiMinorAxis = semiMajorAxis * (1 - flattening)
  /// The square of the second eccentricity.
  private static let secondEccentricity =
    flattening * (2 - flattening) / ((1 - flattening) * (1 - flattening))

  /// Returns the length, in metres, of the shortest line between two locations given in degrees. The error is
  /// at most 20 nanometres, also for nearly antipodal locations, where Vincenty's formulas do not converge.
  ///
  /// A geodesic corresponds to a great circle on an auxiliary sphere. Its length and its difference of
  /// longitude are integrals along that arc. The initial azimuth is found by bisection: if the locations are
  /// arranged as below, the difference of longitude is monotonic in the azimuth (C. F. F. Karney, "Algorithms
  /// for geodesics", 2013, section 4).
  static func distance(
    latitude firstLatitude: Double, longitude firstLongitude: Double, toLatitude secondLatitude: Double,
    longitude secondLongitude: Double
  ) -> Double {
    let longitude = radians(remainder(secondLongitude - firstLongitude, 360).magnitude)
    // Mirror the locations so that the first is south of the equator and the second at most as far from it.
    let isSwapped = firstLatitude.magnitude < secondLatitude.magnitude
    var far = isSwapped ? secondLatitude : firstLatitude
    var near = isSwapped ? firstLatitude : secondLatitude
    if far > 0 { (far, near) = (-far, -near) }
    if far == near, longitude == 0 { return 0 }
    if far == 0, longitude <= (1 - flattening) * .pi { return semiMajorAxis * longitude }
    // Avoid a start exactly on the equator, so that the side from which an arc crosses it is defined.
    var first = ReducedLatitude(far)
    if first.sine == 0 { first.sine = -1e-200 }
    let second = ReducedLatitude(near)

    // The azimuth is measured north of east. So it is near 0, where floating point is most precise, for arcs
    // along the equator, where precision matters most.
    var (lower, upper) = (-Double.pi / 2, Double.pi / 2)
    var middle = 0.0
    for _ in 0..<100 {
      middle = (lower + upper) / 2
      if middle == lower || middle == upper { break }
      let isShort = arc(from: first, to: second, leaving: middle).longitude < longitude
      if isShort { upper = middle } else { lower = middle }
    }
    return arc(from: first, to: second, leaving: middle).length
  }

  /// Returns the length in metres of one degree northwards and eastwards at a latitude in degrees.
  static func metersPerDegree(atLatitude latitude: Double) -> (north: Double, east: Double) {
    let sine = sin(radians(latitude))
    let eccentricity = flattening * (2 - flattening)
    let root = (1 - eccentricity * sine * sine).squareRoot()
    return (
      radians(semiMajorAxis * (1 - eccentricity) / (root * root * root)),
      radians(semiMajorAxis / root * cos(radians(latitude)))
    )
  }

  /// A latitude on the auxiliary sphere.
  private struct ReducedLatitude {
    var sine: Double
    var cosine: Double

    init(_ degrees: Double) {
      let y = (1 - flattening) * sin(radians(degrees))
      // The cosine of 90 degrees in radians is not exactly 0.
      let x = degrees.magnitude == 90 ? 0 : cos(radians(degrees))
      sine = y / hypot(x, y)
      cosine = x / hypot(x, y)
    }
  }

  /// Returns the length, in metres, and the difference of longitude, in radians, of an arc. The arc leaves
  /// the first location at `angle` radians north of east and ends at the second latitude.
  private static func arc(
    from first: ReducedLatitude, to second: ReducedLatitude, leaving angle: Double
  ) -> (length: Double, longitude: Double) {
    let (east, north) = (cos(angle), sin(angle))
    let equatorEast = east * first.cosine
    let equatorNorth = hypot(north, east * first.sine)
    // The difference of cos² of the latitudes, without cancellation.
    let difference =
      first.cosine < -first.sine
      ? (second.cosine - first.cosine) * (second.cosine + first.cosine)
      : (first.sine - second.sine) * (first.sine + second.sine)
    let firstNorth = north * first.cosine
    let secondNorth = max(0, firstNorth * firstNorth + difference).squareRoot()
    let start = atan2(first.sine, firstNorth)
    let end = atan2(second.sine, secondNorth)
    let turn = atan2(equatorEast * second.sine, secondNorth) - atan2(equatorEast * first.sine, firstNorth)

    let stretch = secondEccentricity * equatorNorth * equatorNorth
    let (half, middle) = ((end - start) / 2, (end + start) / 2)
    var (length, lag) = (0.0, 0.0)
    for (node, weight) in nodes {
      for place in [node, -node] {
        let sine = sin(middle + half * place)
        let root = (1 + stretch * sine * sine).squareRoot()
        length += weight * root
        lag += weight * (2 - flattening) / (1 + (1 - flattening) * root)
      }
    }
    return (semiMinorAxis * half * length, turn - flattening * equatorEast * half * lag)
  }

  /// The positive half of the 16 Gauss-Legendre nodes, with their weights. The integration is exact to the
  /// last digit for these integrands.
  private static let nodes: [(node: Double, weight: Double)] = [
    (0.9894009349916499, 0.027152459411754095), (0.9445750230732326, 0.062253523938647894),
    (0.8656312023878318, 0.0951585116824928), (0.7554044083550030, 0.1246289712555339),
    (0.6178762444026438, 0.1495959888165767), (0.4580167776572274, 0.1691565193950025),
    (0.2816035507792589, 0.1826034150449236), (0.0950125098376374, 0.1894506104550685),
  ]

  private static func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }
}
