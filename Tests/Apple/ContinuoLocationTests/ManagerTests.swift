import ContinuoLocation
import ContinuoTesting
import Foundation
import Testing

/// What an application is told, in virtual time.
@MainActor
@Suite("CLLocationManager", .timeLimit(.minutes(10)))
struct ManagerTests {
  @Test("Updates: the present place at once, then one a second, each with its time, speed and course")
  func updates() async throws {
    try await withTestDevice { device in
      let walker = try await device.launchWalker(eastward: 60)
      #expect(walker.manager.location == nil && walker.locations.isEmpty)
      await device.advance(by: .milliseconds(10_500))
      walker.manager.startUpdatingLocation()
      await device.advance(by: .milliseconds(2_600))
      #expect(walker.seconds == [10, 11, 12, 13] && walker.batches == 4)
      let place = try #require(walker.locations.last)
      #expect(place.timestamp == Date(timeIntervalSinceReferenceDate: 13))
      #expect(abs(place.speed - 111.32) < 0.01 && place.course == 90 && place.horizontalAccuracy == 5)
      #expect(place.sourceInformation?.isSimulatedBySoftware == true)
      #expect(walker.manager.location?.coordinate.longitude == place.coordinate.longitude)
      walker.manager.stopUpdatingLocation()
      await device.advance(by: .seconds(10))
      // The last that was known.
      #expect(walker.seconds.last == 13 && walker.manager.location?.coordinate.longitude == 0.013)
      walker.manager.startUpdatingLocation()
      await device.advance(by: .seconds(1000))
      #expect(walker.seconds == [10, 11, 12, 13] + Array(23...60))
      // At the end of its way the device stands still.
      walker.manager.stopUpdatingLocation()
      walker.manager.startUpdatingLocation()
      await device.advance(by: .seconds(1))
      #expect(walker.seconds.suffix(2) == [60, 60] && walker.locations.last?.speed == 0)
      #expect(device.record.only("location").entries.count == walker.locations.count)
    }
  }

  @Test("Permission: nothing without an answer, a failure if refused, and each change is told")
  func permission() async throws {
    try await withTestDevice { device in
      await device.launch()
      await device.travel(along: try .eastward(100))
      let walker = Walker(on: device)
      walker.manager.startUpdatingLocation()
      await device.advance(by: .seconds(1))
      #expect(walker.locations.isEmpty && walker.manager.authorizationStatus == .notDetermined)
      walker.manager.requestWhenInUseAuthorization()
      await device.advance(by: .seconds(1))
      #expect(walker.seconds == [1, 2])
      walker.manager.requestAlwaysAuthorization()
      walker.manager.requestAlwaysAuthorization()
      await device.advance(by: .seconds(1))
      await device.setLocationAuthorization(.denied)
      await device.advance(by: .seconds(1))
      #expect(walker.seconds == [1, 2, 2, 3])
      walker.manager.requestAlwaysAuthorization()
      walker.manager.requestLocation()
      await device.advance(by: .seconds(20))
      await device.setLocationAuthorization(.authorizedWhenInUse)
      await device.advance(by: .seconds(1))
      #expect(walker.seconds == [1, 2, 2, 3, 24, 25])
      #expect(
        device.told == """
          0.000 state inactive
          0.000 state active
          0.000 authorization notDetermined
          1.000 authorization authorizedWhenInUse
          2.000 authorization authorizedAlways
          3.000 authorization denied
          3.000 failed: denied
          4.000 failed: denied
          24.000 authorization authorizedWhenInUse
          """)
    }
  }

  @Test(
    "The person's answer",
    arguments: [
      (CLAuthorizationStatus.denied, true, CLAuthorizationStatus.denied), (.restricted, false, .restricted),
      (.notDetermined, true, .notDetermined), (.authorizedWhenInUse, true, .authorizedWhenInUse),
      (.authorizedAlways, false, .authorizedWhenInUse), (.authorizedAlways, true, .authorizedAlways),
    ])
  func answers(answer: CLAuthorizationStatus, always: Bool, result: CLAuthorizationStatus) async {
    await withTestDevice { device in
      await device.launch()
      device.location.answer = answer
      let manager = CLLocationManager()
      if always { manager.requestAlwaysAuthorization() } else { manager.requestWhenInUseAuthorization() }
      #expect(manager.authorizationStatus == .notDetermined)
      await device.advance(by: .zero)
      #expect(manager.authorizationStatus == result && CLLocationManager.authorizationStatus() == result)
    }
  }

  @Test("The question shows the application's text, as often as the person is asked")
  func questions() async {
    await withTestDevice { device in
      device.location.usage = LocationUsage(whenInUse: "For the map.", always: "For the way home.")
      device.location.onPermissionRequest = { [weak device] in device?.note("asked: \($0)") }
      await device.launch()
      let manager = CLLocationManager()
      for answer in [CLAuthorizationStatus.notDetermined, .authorizedWhenInUse] {
        device.location.answer = answer
        manager.requestWhenInUseAuthorization()
        await device.advance(by: .seconds(1))
      }
      manager.requestWhenInUseAuthorization()
      for _ in 0..<2 {
        // Declined the first time.
        manager.requestAlwaysAuthorization()
        await device.advance(by: .seconds(1))
      }
      device.location.usage.always = nil
      device.location.authorization = .notDetermined
      manager.requestAlwaysAuthorization()
      await device.advance(by: .seconds(1))
      #expect(
        device.record.only("asked") == """
          0.000 asked: For the map.
          1.000 asked: For the map.
          2.000 asked: For the way home.
          """)
      #expect(manager.authorizationStatus == .notDetermined)
    }
  }

  @Test("No place: locationUnknown, once until there is one again")
  func noPlace() async throws {
    try await withTestDevice { device in
      await device.launch()
      device.location.authorization = .authorizedAlways
      #expect(!CLLocationManager.locationServicesEnabled())
      let walker = Walker(on: device)
      walker.manager.startUpdatingLocation()
      await device.advance(by: .seconds(5))
      await device.travel(along: try .eastward(100))
      #expect(CLLocationManager.locationServicesEnabled())
      await device.advance(by: .seconds(1))
      await device.loseLocation()
      await device.advance(by: .seconds(5))
      #expect(
        device.record.only("failed", "location").description == """
          0.000 failed: locationUnknown
          5.000 location 0.00000,0.00000
          6.000 location 0.00000,0.00100
          6.000 failed: locationUnknown
          """)
    }
  }

  @Test("requestLocation: one place, or one error")
  func request() async throws {
    try await withTestDevice { device in
      let walker = try await device.launchWalker()
      await device.advance(by: .seconds(7))
      walker.manager.requestLocation()
      await device.advance(by: .seconds(30))
      #expect(walker.seconds == [7] && device.record.only("failed").entries.isEmpty)
      device.location.setSource(LocationSource.gpsd())
      // There is no receiver in virtual time. Each request fails, once: the first at once, the second when a place could have
      // been found.
      for _ in 0..<2 {
        walker.manager.requestLocation()
        await device.advance(by: .seconds(30))
      }
      #expect(walker.seconds == [7])
      #expect(device.record.moments(of: "failed: locationUnknown") == [.seconds(37), .seconds(77)])
    }
  }

  @Test("A manager that goes takes its updates along, and the source stops")
  func release() async throws {
    try await withTestDevice(modes: [.location]) { device in
      var walker: Walker? = try await device.launchWalker()
      walker?.manager.allowsBackgroundLocationUpdates = true
      walker?.manager.startUpdatingLocation()
      await device.advance(by: .seconds(2))
      await device.pressHomeButton()
      #expect(device.state == .background)
      walker = nil
      await device.advance(by: .seconds(5))
      #expect(device.state == .suspended)
      #expect(device.record.only("location").entries.count == 3)
    }
  }

  @Test("A delegate that stops in its method is not called again; several managers have each their own")
  func stopInside() async throws {
    try await withTestDevice { device in
      let first = try await device.launchWalker()
      let second = Walker(on: device)
      second.manager.distanceFilter = 300
      first.onLocation = { [unowned first] _ in
        if first.locations.count == 3 { first.manager.stopUpdatingLocation() }
      }
      first.manager.startUpdatingLocation()
      second.manager.startUpdatingLocation()
      await device.advance(by: .seconds(10))
      #expect(first.seconds == [0, 1, 2] && second.seconds == [0, 3, 6, 9])
    }
  }

  @Test("Starting again in the delegate's method brings no place that it has, and no failure but refusals")
  func startInside() async throws {
    try await withTestDevice { device in
      let walker = try await device.launchWalker()
      walker.onLocation = { [unowned walker] _ in
        if walker.batches < 10 { walker.manager.startUpdatingLocation() }
      }
      walker.manager.startUpdatingLocation()
      await device.advance(by: .seconds(3))
      #expect(walker.seconds == [0, 1, 2, 3])
      walker.manager.stopUpdatingLocation()
      walker.onLocation = { [unowned walker] _ in
        if walker.batches < 10 { walker.manager.startMonitoringSignificantLocationChanges() }
      }
      walker.manager.startMonitoringSignificantLocationChanges()
      await device.advance(by: .seconds(3))
      #expect(walker.seconds == [0, 1, 2, 3, 3])
      walker.onLocation = nil
      walker.manager.startUpdatingLocation()
      var failures = 0
      walker.onFailure = { [unowned walker] in
        failures += 1
        if failures < 10 { walker.manager.startUpdatingLocation() }
      }
      await device.loseLocation()
      await device.advance(by: .seconds(1))
      #expect(failures == 1)
      walker.onFailure = { [unowned walker] in
        failures += 1
        if failures < 10 { walker.manager.requestLocation() }
      }
      walker.manager.requestLocation()
      await device.advance(by: .seconds(25))
      // Each request has its 10 s: the source may find a place.
      #expect(failures == 3)
      failures = 0
      walker.onFailure = { [unowned walker] in
        failures += 1
        if failures < 10 { walker.manager.startUpdatingLocation() }
      }
      await device.setLocationAuthorization(.denied)
      await device.advance(by: .seconds(1))
      // Each refused call has its error.
      #expect(failures == 10)
    }
  }

  @Test("Without permission, each call that starts something fails")
  func refusals() async {
    await withTestDevice { device in
      await device.launch()
      device.location.authorization = .denied
      let walker = Walker(on: device)
      for _ in 0..<2 {
        walker.manager.startUpdatingLocation()
        await device.advance(by: .seconds(1))
        walker.manager.startMonitoringSignificantLocationChanges()
        await device.advance(by: .seconds(1))
      }
      #expect(device.record.moments(of: "failed: denied") == (0..<4).map { .seconds($0) })
    }
  }

  @Test("A delegate that asks again in its method does not hold up the main queue")
  func requestInside() async throws {
    await withTestDevice { device in
      await device.launch()
      device.location.authorization = .denied
      let walker = Walker(on: device)
      var failures = 0
      walker.onFailure = { [unowned walker, unowned device] in
        failures += 1
        guard failures < 5 else { return }
        device.system.mainQueue.enqueue { MainActor.assumeIsolated { device.note("turn") } }
        walker.manager.requestLocation()
      }
      walker.manager.requestLocation()
      await device.advance(by: .zero)
      let texts = device.record.only("failed", "turn").entries.map(\.text)
      #expect(texts == (1...4).flatMap { _ in ["failed: denied", "turn"] } + ["failed: denied"])
    }
  }

  @Test("What waits for a busy main thread is dropped when updates are stopped, or no longer allowed")
  func stopsWhatWaits() async throws {
    for isDenied in [false, true] {
      try await withTestDevice { device in
        let walker = try await device.launchWalker()
        walker.manager.startUpdatingLocation()
        await device.advance(by: .seconds(1))
        device.spend(.seconds(10))
        if isDenied { device.location.authorization = .denied } else { walker.manager.stopUpdatingLocation() }
        await device.advance(by: .seconds(5))
        #expect(walker.seconds == [0, 1])
      }
    }
  }

  @Test("A busy main thread gets all places when it is free, together")
  func busy() async throws {
    try await withTestDevice { device in
      let walker = try await device.launchWalker(eastward: 20_000)
      walker.manager.startUpdatingLocation()
      await device.advance(by: .seconds(1))
      device.spend(.seconds(10))
      await device.advance(by: .zero)
      #expect(walker.seconds == Array(0...11) && walker.batches == 3)
      device.spend(.seconds(10_000))
      await device.advance(by: .zero)
      // An hour of them is kept.
      #expect(walker.locations.count == 12 + 3600 && walker.seconds.last == 10_011)
    }
  }

  @Test("Properties keep what they are given; a manager whose application has ended does nothing")
  func properties() async throws {
    try await withTestDevice(modes: [.location]) { device in
      let walker = try await device.launchWalker()
      let manager = walker.manager
      #expect(
        manager.distanceFilter == kCLDistanceFilterNone && manager.desiredAccuracy == kCLLocationAccuracyBest
          && !manager.allowsBackgroundLocationUpdates && manager.pausesLocationUpdatesAutomatically
          && !manager.showsBackgroundLocationIndicator && manager.activityType == .other
          && manager.accuracyAuthorization == .fullAccuracy && !CLLocationManager.headingAvailable())
      manager.distanceFilter = 5
      manager.desiredAccuracy = kCLLocationAccuracyKilometer
      manager.allowsBackgroundLocationUpdates = true
      manager.allowsBackgroundLocationUpdates = false
      manager.pausesLocationUpdatesAutomatically = false
      manager.showsBackgroundLocationIndicator = true
      manager.activityType = .fitness
      #expect(
        manager.distanceFilter == 5 && manager.desiredAccuracy == 1000
          && !manager.pausesLocationUpdatesAutomatically
          && manager.showsBackgroundLocationIndicator && manager.activityType == .fitness)
      await device.terminate()
      manager.startUpdatingLocation()
      await device.launch()
      manager.startUpdatingLocation()
      manager.requestLocation()
      await device.advance(by: .seconds(30))
      #expect(walker.locations.isEmpty && device.location.authorization == .authorizedAlways)
    }
  }

  @Test("Errors are NSErrors, too")
  func errors() {
    let error = CLError(.denied) as NSError
    #expect(error.domain == kCLErrorDomain && error.code == 1 && CLError(.locationUnknown).errorCode == 0)
    #expect(error.localizedDescription == "The use of the location is not allowed.")
  }
}
