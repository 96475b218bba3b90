import ContinuoTesting
import Testing

@MainActor
struct RunTrackerTests {
  /// Through a park and back, in half an hour.
  private let run = [(52.5145, 13.3501), (52.5163, 13.3777), (52.5145, 13.3501)].map(
    CLLocationCoordinate2D.init(latitude:longitude:))

  @Test func aRunIsTrackedWhileThePhoneIsLocked() async throws {
    try await withTestDevice(modes: [.location]) { device in
      await device.launch()
      await device.travel(along: try LocationTrack(through: run, in: .seconds(1800)))
      let tracker = RunTracker(inBackground: true)
      await device.advance(by: .seconds(10))
      await device.lock()
      await device.advance(by: .seconds(1790))
      #expect(device.state == .background)
      #expect(tracker.meters.rounded() == 3769)
      #expect(device.record.only("location ").entries.count == 1801)
    }
  }

  @Test func withoutTheModeTheWayBackIsMissing() async throws {
    try await withTestDevice { device in
      await device.launch()
      await device.travel(along: try LocationTrack(through: run, in: .seconds(1800)))
      let tracker = RunTracker(inBackground: false)
      await device.advance(by: .seconds(10))
      await device.lock()
      await device.advance(by: .seconds(1790))
      await device.unlock()
      // The newest place is where the run began.
      #expect(tracker.meters.rounded() == 42)
      #expect(device.record.only("location ").entries.count == 12)
    }
  }
}
