import ContinuoLocation
import Testing

@Suite("Regions, headings and visits")
struct RegionTests {
  /// A delegate as an application writes it.
  private final class Delegate: CLLocationManagerDelegate {
    var calls = 0
    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) { calls += 1 }
    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) { calls += 1 }
    func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) { calls += 1 }
    func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) { calls += 1 }
  }

  @Test("A circle contains what is nearer than its radius")
  func circle() {
    let centre = CLLocationCoordinate2D(latitude: 52, longitude: 13)
    let region = CLCircularRegion(center: centre, radius: 1000, identifier: "home")
    #expect(region.identifier == "home" && region.contains(centre))
    #expect(region.contains(CLLocationCoordinate2D(latitude: 52.008, longitude: 13)))
    #expect(!region.contains(CLLocationCoordinate2D(latitude: 52.01, longitude: 13)))
  }

  @Test("They are not monitored")
  func inert() {
    let manager = CLLocationManager()
    let delegate = Delegate()
    manager.delegate = delegate
    #expect(!CLLocationManager.isMonitoringAvailable(for: CLCircularRegion.self))
    manager.startMonitoring(
      for: CLCircularRegion(
        center: CLLocationCoordinate2D(latitude: 0, longitude: 0), radius: 1, identifier: "a"))
    manager.startUpdatingHeading()
    manager.startMonitoringVisits()
    #expect(manager.monitoredRegions.isEmpty && manager.heading == nil && delegate.calls == 0)
    #expect(kCLLocationAccuracyReduced == kCLLocationAccuracyThreeKilometers)
  }
}
