import ContinuoTesting
import Testing

/// What wakes a suspended application, in virtual time: VoIP sockets, keep-alive calls, tasks of the scheduler.
@MainActor
@Suite("Waking a suspended application", .timeLimit(.minutes(10)))
struct WakeTests {
  @Test("A call rings on a suspended phone, and ten seconds later it sleeps again")
  func voip() async {
    await withTestDevice(modes: [.voip]) { device in
      await device.launch()
      await device.pressHomeButton()
      await device.advance(by: .seconds(100))
      await device.receiveVoIPData()
      await device.advance(by: .seconds(100))
      #expect(
        device.record.since(.seconds(100)).only("state", "voip") == """
          100.000 voip-data
          100.000 state background
          110.000 state suspended
          """)
    }
  }

  @Test("The connection is kept alive every ten minutes, in front and while suspended")
  func keepAlive() async {
    await withTestDevice(modes: [.voip]) { device in
      await device.launch()
      let isGranted = UIApplication.shared.setKeepAliveTimeout(UIMinimumKeepAliveTimeout) {
        device.note("ping while \(UIApplication.shared.applicationState)")
      }
      #expect(isGranted)
      await device.advance(by: .seconds(700))
      await device.pressHomeButton()
      await device.advance(by: .seconds(1200))
      #expect(
        device.record.only("ping", "state background", "state suspended") == """
          600.000 ping while active
          700.000 state background
          700.000 state suspended
          1200.000 state background
          1200.000 ping while background
          1210.000 state suspended
          1800.000 state background
          1800.000 ping while background
          1810.000 state suspended
          """)
      #expect(device.termination == nil)
    }
  }

  /// Refreshes itself with tasks that it schedules.
  private final class RefreshApp: UIResponder, UIApplicationDelegate {
    private let clock: any Clock<Duration>
    private let work: Duration

    init(clock: any Clock<Duration>, work: Duration) {
      self.clock = clock
      self.work = work
    }

    required init() { preconditionFailure("made with a clock") }

    func application(
      _ application: UIApplication,
      didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
      let (clock, work) = (clock, work)
      return BGTaskScheduler.shared.register(forTaskWithIdentifier: "refresh", using: nil) { task in
        let running = Task { @MainActor in
          try? await clock.sleep(for: work)
          if !Task.isCancelled { task.setTaskCompleted(success: true) }
        }
        task.expirationHandler = {
          running.cancel()
          task.setTaskCompleted(success: false)
        }
      }
    }

    func applicationDidEnterBackground(_ application: UIApplication) {
      try? BGTaskScheduler.shared.submit(BGAppRefreshTaskRequest(identifier: "refresh"))
    }
  }

  private func refreshes(work: Duration, _ operation: @MainActor (TestDevice) async -> Void) async {
    var settings = LifecycleSettings()
    settings.permittedTaskIdentifiers = ["refresh"]
    await withTestDevice(modes: [.fetch], settings: settings) { device in
      await device.launch(RefreshApp(clock: device.clock, work: work))
      await device.pressHomeButton()
      await device.advance(by: .seconds(60))
      await operation(device)
    }
  }

  @Test("A scheduled refresh runs, and the application sleeps again")
  func refresh() async {
    await refreshes(work: .seconds(8)) { device in
      await device.launchTask(withIdentifier: "refresh")
      await device.advance(by: .seconds(60))
      #expect(
        device.record.since(.seconds(60)).only("state", "scheduled task") == """
          60.000 state background
          60.000 scheduled task refresh begun
          68.000 scheduled task refresh ended: success
          68.000 state suspended
          """)
    }
  }

  @Test("One that takes too long gives up when it is told to, and nobody is terminated")
  func expiry() async {
    await refreshes(work: .seconds(100)) { device in
      await device.launchTask(withIdentifier: "refresh")
      await device.advance(by: .seconds(60))
      #expect(device.record.moments(of: "scheduled task refresh ended: no success") == [.seconds(85)])
      #expect(device.state == .suspended && device.termination == nil)
      // The next one is ended by the system.
      await device.launchTask(withIdentifier: "refresh")
      await device.advance(by: .seconds(1))
      await device.expireTask(withIdentifier: "refresh")
      #expect(device.state == .suspended && device.termination == nil)
    }
  }

  @Test("A terminated application is launched for its task")
  func relaunch() async {
    await refreshes(work: .seconds(8)) { device in
      await device.terminate()
      await device.launchTask(withIdentifier: "refresh")
      #expect(device.state == .background)
      await device.advance(by: .seconds(8))
      #expect(device.state == .suspended)
    }
  }
}
