import Foundation
import TestSupport
import Testing

@testable import ContinuoLocation

/// Metres and degrees on the ellipsoid.
@Suite("Geodesy", .timeLimit(.minutes(10)))
struct GeodesyTests {
  /// Figures of GeographicLib 2, whose own error is 15 nm: also between places that lie opposite each other, at the poles,
  /// on the equator, over the 180th meridian and a millimetre apart.
  @Test(
    "distance(from:) is exact to 20 nm",
    arguments: [
      (0, 0, 0, 1, 111_319.49079327357), (0, 0, 1, 0, 110_574.38855779878),
      (0, 0, 0, 180, 20_003_931.458625447),
      (0, 0, 0, 179.5, 19_980_861.908890963), (90, 0, -90, 0, 20_003_931.458625447),
      (52.51627, 13.37770, 48.85837, 2.29448, 881_331.6341045285),
      (-33.86882, 151.20930, 40.71278, -74.00594, 15_988_013.312114496),
      (0, 0, 0.5, 179.5, 19_936_288.578965314), (0, 0, 0.5, 179.7, 19_944_127.420750458),
      (-30, 0, 29.9, 179.8, 19_989_832.82760953), (30, 0, -30, 180, 20_003_931.458625447),
      (89.999, 0, 89.999, 180, 223.38795911909236),
      (37.33482105, -122.03350886, 37.33477977, -122.03369603, 17.208061979560853),
      (10, 179.9, 10, -179.9, 21_927.87247793737), (0.0003, 20, -0.0003, 110, 10_018_754.171566816),
      (48.2, 16.37, 48.2, 16.37, 0), (20.001, 0, 20.001, 0.000001, 0.10464642545828169),
    ] as [(Double, Double, Double, Double, Double)])
  func distance(latitude: Double, longitude: Double, toLatitude: Double, toLongitude: Double, meters: Double)
  {
    let here = CLLocation(latitude: latitude, longitude: longitude)
    let there = CLLocation(latitude: toLatitude, longitude: toLongitude)
    #expect(abs(here.distance(from: there) - meters) < 2e-8, "\(here.distance(from: there))")
    #expect(abs(there.distance(from: here) - meters) < 2e-8)
  }

  @Test("Whatever the places are: symmetric, not negative, and never longer than by another place")
  func properties() {
    var random = RandomSource(seed: 7)
    func degrees(_ limit: Double) -> Double { (Double(random.next() % 2_000_001) / 1_000_000 - 1) * limit }
    for _ in 0..<2000 {
      let places = (0..<3).map { _ in CLLocation(latitude: degrees(90), longitude: degrees(180)) }
      let way = places[0].distance(from: places[1])
      #expect(abs(way - places[1].distance(from: places[0])) < 1e-7)
      #expect(way >= 0 && way < 20_003_932)
      #expect(way <= places[0].distance(from: places[2]) + places[2].distance(from: places[1]) + 1e-6)
    }
  }

  @Test(
    "No valid place: no distance",
    arguments: [(Double.nan, 0), (0, Double.nan), (91, 0), (0, 181), (.infinity, 0), (0, -.infinity)]
      as [(
        Double, Double
      )])
  func invalid(latitude: Double, longitude: Double) {
    let place = CLLocation(latitude: latitude, longitude: longitude)
    let home = CLLocation(latitude: 0, longitude: 0)
    #expect(!CLLocationCoordinate2DIsValid(place.coordinate))
    #expect(place.distance(from: home).isNaN && home.distance(from: place).isNaN)
  }

  @Test("A place that is roughly known lies within the accuracy of the true one")
  func coarsened() {
    var random = RandomSource(seed: 9)
    for accuracy in [10.0, 100, 1000, 3000, 1e6, 1e9] {
      for _ in 0..<500 {
        let latitude = Double(random.next() % 180_001) / 1000 - 90
        let longitude = Double(random.next() % 360_001) / 1000 - 180
        let place = Place(
          latitude: latitude, longitude: longitude, horizontalAccuracy: 5, speed: 3, course: 10, time: 0)
        let seen = place.coarsened(to: accuracy)
        #expect(Place.isValid(latitude: seen.latitude, longitude: seen.longitude))
        #expect(seen.horizontalAccuracy == accuracy && seen.speed == -1 && seen.course == -1)
        if accuracy <= 3000 { #expect(place.distance(to: seen) <= accuracy, "\(place) \(seen)") }
      }
      let place = Place(latitude: 1, longitude: 1, horizontalAccuracy: 2e9, time: 0)
      #expect(place.coarsened(to: accuracy) == place)
    }
  }
}
