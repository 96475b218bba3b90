import ContinuoTesting
import Testing

/// Document 004, "Background Modes Tutorial: Getting Started", section "Receiving Location Updates", statement by statement.
@MainActor
@Suite("Document 004: receiving location updates", .timeLimit(.minutes(10)))
struct LocationTutorialTests {
  /// The location tab on a phone that drives along a freeway at 20 m/s, with its switch turned on.
  private func drive(
    modes: Set<BackgroundMode> = [.location], answer: CLAuthorizationStatus = .authorizedAlways,
    _ check: @MainActor (LocationViewController, TestDevice) async throws -> Void
  ) async throws {
    try await withTestDevice(modes: modes) { device in
      Console.lines = []
      device.location.answer = answer
      // As the tutorial prints it: since iOS 9 a manager has to allow what the mode allows.
      device.location.isLinkedBeforeIOS9 = true
      await device.launch(AppDelegate())
      let start = CLLocationCoordinate2D(latitude: 37.33482105, longitude: -122.03350886)
      let end = CLLocationCoordinate2D(latitude: 37.33482105, longitude: -122.71)
      await device.travel(along: try LocationTrack(through: [start, end], in: .seconds(3000)))
      let screen = LocationViewController()
      screen.viewDidLoad()
      screen.enabledChanged(UISwitch(isOn: true))
      try await check(screen, device)
    }
  }

  @Test("004: \"the app can continue to get callbacks as the device's location changes\"")
  func goesOn() async throws {
    try await drive { screen, device in
      await device.advance(by: .milliseconds(5500))
      // The first place, and one each second.
      #expect(screen.locations.count == 6 && screen.mapView.showings == 6 && Console.lines.isEmpty)
      await device.pressHomeButton()
      await device.advance(by: .seconds(60))
      #expect(device.state == .background && screen.locations.count == 66)
    }
  }

  @Test("004: \"In the background, you should see the log of location updates in your console output\"")
  func console() async throws {
    try await drive { screen, device in
      await device.pressHomeButton()
      await device.advance(by: .milliseconds(2500))
      #expect(Console.lines.count == 2 && screen.mapView.showings == 1)
      // 2014-12-21 20:05:13.334 …: App is backgrounded. New location is <+37.33482105,-122.03350886> +/- 5.00m (speed 15.90 mps /
      // course 255.94) @ 12/21/14, 8:05:13 PM Pacific Standard Time
      let line =
        /App is backgrounded\. New location is <\+37\.33482105,-122\.03\d{6}> \+\/- 5\.00m \(speed 19\.9\d mps \/ course 270\.00\) @ \d+\/\d+\/\d\d, \d+:\d\d:\d\d [AP]M .+/
      for text in Console.lines { #expect(text.wholeMatch(of: line) != nil, "\(text)") }
    }
  }

  @Test(
    "004: \"You can … even change that accuracy while backgrounded\"; \"lower accuracy means less battery used\""
  )
  func accuracy() async throws {
    try await drive { screen, device in
      await device.pressHomeButton()
      await device.advance(by: .milliseconds(100_500))
      let fine = Console.lines.count
      let control = UISegmentedControl()
      control.selectedSegmentIndex = 3
      screen.accuracyChanged(control)
      #expect(screen.locationManager.desiredAccuracy == kCLLocationAccuracyHundredMeters)
      await device.advance(by: .seconds(100))
      let rough = Console.lines.count - fine
      // 2 km.
      #expect(fine == 100 && (19...21).contains(rough), "\(fine), \(rough)")
      #expect(Console.lines.last?.contains("+/- 100.00m") == true)
      #expect(device.state == .background)
    }
  }

  @Test("004: distanceFilter: \"a new location update when the device has moved a certain value, in meters\"")
  func distanceFilter() async throws {
    try await drive { screen, device in
      screen.locationManager.distanceFilter = 70
      await device.advance(by: .milliseconds(100_500))
      // Four seconds each.
      #expect(screen.locations.count == 26)
    }
  }

  @Test("004: \"You instantiate it in a lazy way … turns location tracking on and off\"")
  func onAndOff() async throws {
    try await drive { screen, device in
      await device.advance(by: .milliseconds(2500))
      screen.enabledChanged(UISwitch(isOn: false))
      await device.advance(by: .seconds(60))
      #expect(screen.locations.count == 3)
      await device.pressHomeButton()
      #expect(device.state == .suspended)
    }
  }

  @Test(
    "004: \"requestAlwaysAuthorization() … brings up a user interface asking for permission\": who denies is not followed"
  )
  func permission() async throws {
    for answer in [CLAuthorizationStatus.denied, .notDetermined] {
      try await drive(answer: answer) { screen, device in
        await device.advance(by: .seconds(60))
        #expect(screen.locations.isEmpty && screen.locationManager.authorizationStatus == answer)
      }
    }
  }

  @Test("004: \"set a key in your Info.plist … If you do not include this, location will silently fail\"")
  func description() async throws {
    try await withTestDevice(modes: [.location]) { device in
      // The tests have no Info.plist.
      #expect(device.location.usage.whenInUse != nil && device.location.usage.always != nil)
      device.location.usage = LocationUsage()
      await device.launch(AppDelegate())
      await device.travel(along: try LocationTrack(through: [CLLocationCoordinate2D()]))
      let screen = LocationViewController()
      screen.enabledChanged(UISwitch(isOn: true))
      await device.advance(by: .seconds(60))
      #expect(screen.locations.isEmpty && screen.locationManager.authorizationStatus == .notDetermined)
      device.location.usage.always = "For the map."
      screen.locationManager.requestAlwaysAuthorization()
      await device.advance(by: .seconds(1))
      #expect(screen.locations.count == 1)
    }
  }

  @Test("004: \"Check the box for Location updates\": without it none come in the background")
  func withoutMode() async throws {
    try await drive(modes: []) { screen, device in
      await device.advance(by: .milliseconds(2500))
      await device.pressHomeButton()
      #expect(device.state == .suspended)
      await device.advance(by: .seconds(60))
      #expect(screen.locations.count == 3 && Console.lines.isEmpty)
      await device.foreground()
      await device.advance(by: .milliseconds(100))
      #expect(screen.locations.count == 4)
    }
  }

  @Test(
    "004: \"Open the app again and you'll see that the map has all the pins … updated while the app was in the background\""
  )
  func pins() async throws {
    try await drive { screen, device in
      await device.advance(by: .milliseconds(10_500))
      await device.pressHomeButton()
      await device.advance(by: .seconds(60))
      #expect(screen.mapView.annotations.count == 71 && screen.mapView.showings == 11)
      await device.foreground()
      await device.advance(by: .seconds(1))
      #expect(screen.mapView.annotations.count == 72 && screen.mapView.showings == 12)
      // "Remove values if the array is too big": the oldest ones.
      let newest = screen.mapView.annotations[71]
      await device.advance(by: .seconds(99))
      #expect(screen.mapView.annotations.count == 100 && screen.mapView.annotations[0] === newest)
      #expect(screen.locations.count == 100 && screen.locations[0] === newest)
    }
  }
}
