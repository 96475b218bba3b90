import AppLifecycle
import ContinuoLocation
import ContinuoTesting
import Foundation
import Testing

/// Home, lock and suspension, in virtual time.
@MainActor
@Suite("Location in the background", .timeLimit(.minutes(10)))
struct BackgroundTests {
  @Test("With the mode updates keep the application running, until they are stopped")
  func mode() async throws {
    try await withTestDevice(modes: [.location]) { device in
      let walker = try await device.launchWalker()
      walker.manager.allowsBackgroundLocationUpdates = true
      walker.manager.startUpdatingLocation()
      await device.advance(by: .seconds(2))
      await device.lock()
      await device.advance(by: .seconds(600))
      #expect(device.state == .background && device.system.keptRunningBy == .location)
      #expect(device.application.backgroundTimeRemaining == .greatestFiniteMagnitude)
      #expect(walker.seconds == Array(0...602))
      walker.manager.stopUpdatingLocation()
      await device.advance(by: .seconds(600))
      #expect(device.record.moments(of: "state suspended") == [.seconds(602)])
      #expect(walker.seconds.count == 603)
    }
  }

  @Test("Linked before iOS 9 the mode is enough", arguments: [[], [.location]] as [Set<BackgroundMode>])
  func linkedBeforeIOS9(modes: Set<BackgroundMode>) async throws {
    try await withTestDevice(modes: modes) { device in
      device.location.isLinkedBeforeIOS9 = true
      let walker = try await device.launchWalker()
      #expect(walker.manager.allowsBackgroundLocationUpdates == !modes.isEmpty)
      walker.manager.startUpdatingLocation()
      await device.pressHomeButton()
      await device.advance(by: .seconds(60))
      #expect(walker.seconds == Array(0...(modes.isEmpty ? 0 : 60)))
      #expect(device.state == (modes.isEmpty ? .suspended : .background))
    }
  }

  @Test(
    "Without the mode, or without allowing it: none while suspended, the newest on resumption",
    arguments: [[], [.location], [.audio]] as [Set<BackgroundMode>])
  func suspended(modes: Set<BackgroundMode>) async throws {
    try await withTestDevice(modes: modes) { device in
      let walker = try await device.launchWalker()
      walker.manager.startUpdatingLocation()
      await device.advance(by: .milliseconds(2_500))
      await device.pressHomeButton()
      #expect(device.state == .suspended)
      await device.advance(by: .seconds(300))
      #expect(walker.seconds == [0, 1, 2])
      await device.foreground()
      await device.advance(by: .seconds(1))
      #expect(walker.seconds == [0, 1, 2, 302, 303])
      #expect(device.told.hasSuffix("302.500 state inactive\n302.500 state active"))
    }
  }

  @Test("Kept running by something else it gets updates: always, or while in use")
  func otherReason() async throws {
    for (status, last) in [(CLAuthorizationStatus.authorizedAlways, 12), (.authorizedWhenInUse, 2)] {
      try await withTestDevice { device in
        let walker = try await device.launchWalker()
        device.location.authorization = status
        walker.manager.startUpdatingLocation()
        await device.advance(by: .seconds(2))
        let task = device.application.beginBackgroundTask(withName: "walk")
        await device.pressHomeButton()
        await device.advance(by: .seconds(10))
        #expect(device.state == .background && walker.seconds.last == last)
        await device.foreground()
        await device.advance(by: .seconds(1))
        #expect(walker.seconds.last == 13)
        device.application.endBackgroundTask(task)
      }
    }
  }

  @Test("In use: updates begun in front go on with the mode, those begun in the background do not begin")
  func whenInUse() async throws {
    try await withTestDevice(modes: [.location, .audio]) { device in
      let first = try await device.launchWalker()
      device.location.authorization = .authorizedWhenInUse
      first.manager.allowsBackgroundLocationUpdates = true
      first.manager.startUpdatingLocation()
      await device.pressHomeButton()
      await device.advance(by: .seconds(10))
      #expect(device.state == .background && first.seconds.last == 10)
      let second = Walker(on: device)
      second.manager.allowsBackgroundLocationUpdates = true
      second.manager.startUpdatingLocation()
      await device.advance(by: .seconds(10))
      #expect(second.locations.isEmpty && first.seconds.last == 20)
      first.manager.stopUpdatingLocation()
      await device.advance(by: .seconds(1))
      #expect(device.state == .suspended)
      await device.foreground()
      await device.advance(by: .seconds(1))
      #expect(second.seconds == [21, 22])
    }
  }

  @Test(
    "In use: starting again in the background changes nothing, and who was in front with updates on has begun them there"
  )
  func startedAgain() async throws {
    try await withTestDevice(modes: [.location, .audio]) { device in
      let walker = try await device.launchWalker()
      device.location.authorization = .authorizedWhenInUse
      walker.manager.allowsBackgroundLocationUpdates = true
      walker.manager.startUpdatingLocation()
      await device.pressHomeButton()
      walker.manager.startUpdatingLocation()
      await device.advance(by: .seconds(10))
      #expect(device.state == .background && walker.seconds.last == 10)
      walker.manager.stopUpdatingLocation()
      walker.manager.startUpdatingLocation()
      await device.advance(by: .seconds(10))
      #expect(device.state == .suspended && walker.seconds.last == 10)
      await device.foreground()
      await device.pressHomeButton()
      await device.advance(by: .seconds(10))
      #expect(device.state == .background && walker.seconds.last == 30)
    }
  }

  @Test("Permission taken away in the background: the application is suspended")
  func takenAway() async throws {
    try await withTestDevice(modes: [.location]) { device in
      let walker = try await device.launchWalker()
      walker.manager.allowsBackgroundLocationUpdates = true
      walker.manager.startUpdatingLocation()
      await device.pressHomeButton()
      await device.advance(by: .seconds(10))
      await device.setLocationAuthorization(.denied)
      await device.advance(by: .seconds(10))
      #expect(device.record.moments(of: "state suspended") == [.seconds(10)])
      #expect(walker.seconds.last == 10)
      // Told when it runs again.
      await device.foreground()
      #expect(device.record.moments(of: "failed: denied").count == 1)
    }
  }

  @Test("Who stands still for 15 minutes in the background: paused, suspended, and resumed in front")
  func pauses() async throws {
    let here = CLLocationCoordinate2D(latitude: 1, longitude: 1)
    let there = CLLocationCoordinate2D(latitude: 1.01, longitude: 1)
    for pauses in [true, false] {
      try await withTestDevice(modes: [.location]) { device in
        let walker = try await device.launchWalker()
        await device.travel(along: try LocationTrack(through: [here, there], in: .seconds(600)))
        walker.manager.allowsBackgroundLocationUpdates = true
        walker.manager.pausesLocationUpdatesAutomatically = pauses
        walker.manager.startUpdatingLocation()
        await device.pressHomeButton()
        await device.advance(by: .seconds(3000))
        #expect(device.record.moments(of: "paused").count == (pauses ? 1 : 0))
        guard pauses else {
          #expect(device.state == .background)
          return
        }
        let moment = try #require(device.record.moments(of: "paused").first)
        #expect(moment > .seconds(1480) && moment <= .seconds(1500), "\(moment)")
        #expect(device.record.moments(of: "state suspended") == [moment])
        #expect(walker.locations.count == 601)
        await device.foreground()
        await device.advance(by: .seconds(10))
        #expect(device.record.moments(of: "resumed") == [.seconds(3000)])
        #expect(walker.locations.count == 602)
      }
    }
  }

  @Test("Updates that start after a long standstill in the background have their 15 minutes too")
  func startsLate() async throws {
    try await withTestDevice(modes: [.location]) { device in
      let first = try await device.launchWalker(eastward: 1)
      first.manager.allowsBackgroundLocationUpdates = true
      first.manager.pausesLocationUpdatesAutomatically = false
      first.manager.startUpdatingLocation()
      await device.pressHomeButton()
      await device.advance(by: .seconds(1200))
      let second = Walker(on: device)
      second.manager.allowsBackgroundLocationUpdates = true
      second.manager.startUpdatingLocation()
      await device.advance(by: .seconds(1800))
      #expect(device.record.moments(of: "paused") == [.seconds(2100)])
      second.manager.startUpdatingLocation()
      await device.advance(by: .seconds(1800))
      #expect(device.record.moments(of: "paused") == [.seconds(2100), .seconds(3900)])
    }
  }

  @Test("In use: updates begun in a launch in the background do not go on")
  func launchedInTheBackground() async throws {
    final class App: UIApplicationDelegate {
      var walker: Walker?
      let device: TestDevice
      init(_ device: TestDevice) { self.device = device }
      func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
      ) -> Bool {
        application.setMinimumBackgroundFetchInterval(0)
        walker = Walker(on: device)
        walker?.manager.allowsBackgroundLocationUpdates = true
        walker?.manager.startUpdatingLocation()
        return true
      }
      func application(
        _ application: UIApplication,
        performFetchWithCompletionHandler handler: @escaping @Sendable (UIBackgroundFetchResult) -> Void
      ) { handler(.newData) }
    }
    try await withTestDevice(modes: [.fetch, .location]) { device in
      device.location.authorization = .authorizedWhenInUse
      await device.travel(along: try .eastward(3600))
      let app = App(device)
      await device.launch(app)
      await device.pressHomeButton()
      await device.advance(by: .seconds(10))
      #expect(app.walker?.seconds.last == 10)
      await device.terminate()
      await device.advance(by: .seconds(10))
      await device.performBackgroundFetch()
      let count = app.walker?.locations.count
      await device.advance(by: .seconds(60))
      #expect(device.state == .suspended && app.walker?.locations.count == count)
      await device.foreground()
      await device.pressHomeButton()
      await device.advance(by: .seconds(10))
      #expect(device.state == .background && app.walker?.seconds.last == 90)
    }
  }

  @Test("Significant changes wake a suspended application, without any mode, for some seconds")
  func significant() async throws {
    try await withTestDevice { device in
      let walker = try await device.launchWalker()
      walker.manager.startMonitoringSignificantLocationChanges()
      await device.advance(by: .seconds(1))
      await device.pressHomeButton()
      await device.advance(by: .seconds(1000))
      #expect(walker.seconds == [0, 300, 600, 900])
      #expect(
        device.record.since(.seconds(2)).only("state", "location ").description == """
          300.000 state background
          300.000 location 0.00000,0.30000
          305.000 state suspended
          600.000 state background
          600.000 location 0.00000,0.60000
          605.000 state suspended
          900.000 state background
          900.000 location 0.00000,0.90000
          905.000 state suspended
          """)
      walker.manager.stopMonitoringSignificantLocationChanges()
      await device.advance(by: .seconds(1000))
      #expect(walker.seconds.count == 4)
    }
  }

  @Test("and launch a terminated one; with permission for its use only they do neither")
  func significantAfterEnd() async throws {
    final class App: UIApplicationDelegate {
      var walker: Walker?
      let device: TestDevice
      init(_ device: TestDevice) { self.device = device }
      func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
      ) -> Bool {
        walker = Walker(on: device)
        walker?.manager.startMonitoringSignificantLocationChanges()
        return true
      }
    }
    for (status, seconds) in [(CLAuthorizationStatus.authorizedAlways, [300]), (.authorizedWhenInUse, [0])] {
      try await withTestDevice { device in
        device.location.authorization = status
        await device.travel(along: try .eastward(3600))
        let app = App(device)
        await device.launch(app)
        await device.terminate()
        await device.advance(by: .seconds(400))
        #expect(app.walker?.seconds == seconds)
        #expect(device.state == (status == .authorizedAlways ? .suspended : .notRunning))
      }
    }
  }

  @Test(
    "Random walks: none while suspended, each second at most once, in order, and all where the mode allows it"
  )
  func randomWalks() async throws {
    for seed in 0..<40 as Range<UInt64> {
      var random = RandomNumbers(state: seed)
      let modes: Set<BackgroundMode> = seed % 2 == 0 ? [.location] : []
      try await withTestDevice(modes: modes) { device in
        let walker = try await device.launchWalker()
        walker.manager.allowsBackgroundLocationUpdates = seed % 2 == 0
        walker.manager.pausesLocationUpdatesAutomatically = false
        walker.onLocation = { _ in
          #expect(device.state != .suspended && device.state != .notRunning, "seed \(seed)")
        }
        walker.manager.startUpdatingLocation()
        for _ in 0..<30 {
          switch random.next() % 6 {
          case 0: await device.pressHomeButton()
          case 1: await device.foreground()
          case 2: await device.lock()
          case 3: await device.unlock()
          case 4: await device.beginInterruption()
          default: await device.endInterruption(shouldResume: true)
          }
          await device.advance(by: .milliseconds(Int64(random.next() % 5000)))
        }
        let seconds = walker.seconds
        #expect(zip(seconds, seconds.dropFirst()).allSatisfy { $0 <= $1 }, "seed \(seed)")
        let last = Int(device.now / .seconds(1))
        if seed % 2 == 0 { #expect(seconds == Array(0...last), "seed \(seed)") }
        await device.foreground()
        #expect(walker.seconds.last == last, "seed \(seed)")
      }
    }
  }
}

private struct RandomNumbers {
  var state: UInt64
  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state >> 33
  }
}
