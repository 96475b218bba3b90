import ContinuoTesting
import Testing

/// The life cycle's table of events, row by row. Every call is seen by the delegate first and then as a notification.
@MainActor
@Suite("Life cycle: the table of events", .timeLimit(.minutes(10)))
struct StateTableTests {
  @Test("launch: didFinishLaunching (inactive), didBecomeActive (active)")
  func launch() async {
    await withTestDevice { device in
      let app = ObservantApp(on: device)
      app.onLaunch = { device.note("delegate sees \(device.application.applicationState)") }
      #expect(device.state == .notRunning)
      await device.launch(app)
      #expect(
        device.seen(since: .zero) == """
          0.000 state inactive
          0.000 delegate didFinishLaunching
          0.000 delegate sees inactive
          0.000 notification didFinishLaunching
          0.000 delegate didBecomeActive
          0.000 notification didBecomeActive
          0.000 state active
          """)
    }
  }

  @Test("home: willResignActive, inactive, didEnterBackground, background, suspended")
  func home() async {
    await withTestDevice { device in
      let app = await device.launchApp()
      await device.pressHomeButton()
      #expect(device.seen(since: .seconds(1)) == Self.toSuspension)
      withExtendedLifetime(app) {}
    }
  }

  @Test("lock: as home; unlock: as foreground")
  func lock() async {
    await withTestDevice { device in
      let app = await device.launchApp()
      await device.lock()
      #expect(device.seen(since: .seconds(1)) == Self.toSuspension)
      await device.advance(by: .seconds(1))
      await device.unlock()
      #expect(device.seen(since: .seconds(2)) == Self.toFront)
      withExtendedLifetime(app) {}
    }
  }

  @Test("interruption begins: willResignActive, inactive, then the interruption")
  func interruptionBegins() async {
    await withTestDevice { device in
      let app = await device.launchApp()
      await device.beginInterruption()
      #expect(
        device.seen(since: .seconds(1)) == """
          1.000 delegate willResignActive
          1.000 notification willResignActive
          1.000 state inactive
          1.000 interruption began
          """)
      withExtendedLifetime(app) {}
    }
  }

  @Test("interruption ends: the interruption's end, didBecomeActive, active", arguments: [true, false])
  func interruptionEnds(shouldResume: Bool) async {
    await withTestDevice { device in
      let app = await device.launchApp()
      await device.beginInterruption()
      await device.advance(by: .seconds(1))
      await device.endInterruption(shouldResume: shouldResume)
      #expect(
        device.seen(since: .seconds(2)) == """
          2.000 interruption ended\(shouldResume ? ", should resume" : "")
          2.000 delegate didBecomeActive
          2.000 notification didBecomeActive
          2.000 state active
          """)
      withExtendedLifetime(app) {}
    }
  }

  @Test("foreground from suspended: willEnterForeground, inactive, didBecomeActive, active")
  func foregroundFromSuspended() async {
    await withTestDevice { device in
      let app = await device.launchApp()
      await device.pressHomeButton()
      await device.advance(by: .seconds(1))
      #expect(device.state == .suspended)
      await device.foreground()
      #expect(device.seen(since: .seconds(2)) == Self.toFront)
      withExtendedLifetime(app) {}
    }
  }

  @Test("foreground from background: the same")
  func foregroundFromBackground() async {
    await withTestDevice { device in
      let app = await device.launchApp()
      let task = device.application.beginBackgroundTask()
      await device.pressHomeButton()
      await device.advance(by: .seconds(1))
      #expect(device.state == .background)
      await device.foreground()
      #expect(device.seen(since: .seconds(2)) == Self.toFront)
      device.application.endBackgroundTask(task)
      withExtendedLifetime(app) {}
    }
  }

  @Test("terminate in front and in the background: willTerminate, not running", arguments: [true, false])
  func terminate(isInFront: Bool) async {
    await withTestDevice { device in
      let app = await device.launchApp()
      _ = device.application.beginBackgroundTask()
      if !isInFront { await device.pressHomeButton() }
      await device.advance(by: .seconds(1))
      await device.terminate()
      #expect(
        device.seen(since: .seconds(2)) == """
          2.000 delegate willTerminate
          2.000 notification willTerminate
          2.000 state notRunning
          """)
      #expect(device.termination == nil)
      withExtendedLifetime(app) {}
    }
  }

  @Test("terminate while suspended: not running, without a word")
  func terminateSuspended() async {
    await withTestDevice { device in
      let app = await device.launchApp()
      await device.pressHomeButton()
      await device.advance(by: .seconds(1))
      await device.terminate()
      #expect(device.seen(since: .seconds(2)) == "2.000 state notRunning")
      withExtendedLifetime(app) {}
    }
  }

  @Test("applicationState shows three of the five states")
  func applicationState() async {
    await withTestDevice { device in
      let application = device.application
      let app = await device.launchApp()
      #expect(UIApplication.shared === application)
      #expect(application.applicationState == .active)
      app.onResignActive = { device.note("delegate sees \(application.applicationState)") }
      app.onEnterBackground = { device.note("delegate sees \(application.applicationState)") }
      let task = application.beginBackgroundTask()
      await device.pressHomeButton()
      #expect(
        device.record.only("delegate sees").entries.map(\.text) == [
          "delegate sees active", "delegate sees background",
        ])
      #expect(device.state == .background && application.applicationState == .background)
      application.endBackgroundTask(task)
      await device.advance(by: .zero)
      #expect(device.state == .suspended && application.applicationState == .background)
      await device.foreground()
      await device.beginInterruption()
      #expect(application.applicationState == .inactive)
    }
  }

  private static let toSuspension = """
    1.000 delegate willResignActive
    1.000 notification willResignActive
    1.000 state inactive
    1.000 delegate didEnterBackground
    1.000 notification didEnterBackground
    1.000 state background
    1.000 state suspended
    """

  private static let toFront = """
    2.000 delegate willEnterForeground
    2.000 notification willEnterForeground
    2.000 state inactive
    2.000 delegate didBecomeActive
    2.000 notification didBecomeActive
    2.000 state active
    """
}
