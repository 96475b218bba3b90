import ContinuoLocation
import ContinuoTesting
import Testing

@Suite("Regions, headings and visits")
struct RegionTests {
  /// A delegate as an application writes it.
  private final class Delegate: CLLocationManagerDelegate {
    var calls = 0
    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) { calls += 1 }
    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) { calls += 1 }
    func locationManager(
      _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
    ) { calls += 1 }
    func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) { calls += 1 }
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

  @Test("They are not monitored, and the delegate is told nothing: no beginning, no failure, no entry")
  @MainActor func inert() async throws {
    try await withTestDevice { device in
      await device.launch()
      let centre = CLLocationCoordinate2D(latitude: 0, longitude: 0)
      await device.travel(along: try LocationTrack(through: [centre]))
      await device.setLocationAuthorization(.authorizedAlways)
      let manager = CLLocationManager()
      let delegate = Delegate()
      manager.delegate = delegate
      #expect(!CLLocationManager.isMonitoringAvailable(for: CLCircularRegion.self))
      let region = CLCircularRegion(center: centre, radius: 1, identifier: "a")
      manager.startMonitoring(for: region)
      manager.startUpdatingHeading()
      manager.startMonitoringVisits()
      manager.startUpdatingLocation()
      await device.advance(by: .seconds(60))
      manager.stopMonitoring(for: region)
      await device.advance(by: .seconds(60))
      #expect(manager.monitoredRegions.isEmpty && manager.heading == nil && delegate.calls == 0)
      #expect(manager.location != nil)
      #expect(kCLLocationAccuracyReduced == kCLLocationAccuracyThreeKilometers)
    }
  }
}
