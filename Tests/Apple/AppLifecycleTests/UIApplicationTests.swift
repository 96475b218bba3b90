import Clocks
import Foundation
import Synchronization
import Testing

@testable import AppLifecycle

/// Written as for Apple's systems.
@MainActor
private final class AppDelegate: NSObject, UIApplicationDelegate {
  var lines: [String] = []
  var fetchResult: UIBackgroundFetchResult? = .newData
  var onBackground: (UIApplication) -> Void = { _ in }

  private func note(_ name: String, _ application: UIApplication) {
    let isShared = application === UIApplication.shared
    lines.append("\(name) \(application.applicationState)\(isShared ? "" : " of another")")
  }

  func application(
    _ application: UIApplication,
    willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    note("willFinishLaunching", application)
    return true
  }
  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]? = nil
  ) -> Bool {
    note("didFinishLaunching", application)
    application.setMinimumBackgroundFetchInterval(UIApplication.backgroundFetchIntervalMinimum)
    return true
  }
  func applicationDidBecomeActive(_ application: UIApplication) {
    note("didBecomeActive", application)
  }
  func applicationWillResignActive(_ application: UIApplication) {
    note("willResignActive", application)
  }
  func applicationDidEnterBackground(_ application: UIApplication) {
    note("didEnterBackground", application)
    onBackground(application)
  }
  func applicationWillEnterForeground(_ application: UIApplication) {
    note("willEnterForeground", application)
  }
  func applicationWillTerminate(_ application: UIApplication) { note("willTerminate", application) }
  func applicationDidReceiveMemoryWarning(_ application: UIApplication) {
    note("memoryWarning", application)
  }
  func application(
    _ application: UIApplication,
    performFetchWithCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
  ) {
    note("performFetch", application)
    if let fetchResult { completionHandler(fetchResult) }
  }
}

/// A delegate that leaves every method out.
private final class SilentDelegate: UIApplicationDelegate {}

@Suite(.timeLimit(.minutes(10))) @MainActor struct UIApplicationTests {
  private func stage(modes: String = "none") -> (Stage, AppDelegate) {
    let stage = Stage(modes: modes)
    let delegate = AppDelegate()
    stage.device.application.delegate = delegate
    stage.device.launch()
    return (stage, delegate)
  }

  @Test func theDelegateComesBeforeTheNotification() {
    let (stage, delegate) = stage()
    let names: [Notification.Name] = [
      UIApplication.didFinishLaunchingNotification, UIApplication.didBecomeActiveNotification,
      UIApplication.willResignActiveNotification, UIApplication.didEnterBackgroundNotification,
      UIApplication.willEnterForegroundNotification, UIApplication.willTerminateNotification,
      UIApplication.didReceiveMemoryWarningNotification,
      UIApplication.backgroundRefreshStatusDidChangeNotification,
    ]
    let observers = names.map { name in
      NotificationCenter.default.addObserver(
        forName: name, object: stage.device.application, queue: nil
      ) {
        _ in
        MainActor.assumeIsolated { delegate.lines.append(name.rawValue) }
      }
    }
    defer { observers.forEach(NotificationCenter.default.removeObserver) }
    #expect(
      delegate.lines == [
        "willFinishLaunching inactive", "didFinishLaunching inactive", "didBecomeActive active",
      ])
    delegate.lines = []
    stage.device.pressHomeButton()
    stage.device.foreground()
    stage.device.sendMemoryWarning()
    stage.device.setBackgroundRefreshStatus(.denied)
    #expect(stage.device.application.backgroundRefreshStatus == .denied)
    stage.device.terminate()
    #expect(
      delegate.lines == [
        "willResignActive active", "UIApplicationWillResignActiveNotification",
        "didEnterBackground background", "UIApplicationDidEnterBackgroundNotification",
        "willEnterForeground background", "UIApplicationWillEnterForegroundNotification",
        "didBecomeActive active", "UIApplicationDidBecomeActiveNotification",
        "memoryWarning active", "UIApplicationDidReceiveMemoryWarningNotification",
        "UIApplicationBackgroundRefreshStatusDidChangeNotification",
        "willTerminate active", "UIApplicationWillTerminateNotification",
      ])
  }

  @Test func everyDelegateMethodCanBeLeftOut() {
    let stage = Stage(modes: "fetch")
    let delegate = SilentDelegate()
    stage.device.application.delegate = delegate
    stage.device.launch()
    stage.device.application.setMinimumBackgroundFetchInterval(3600)
    stage.device.pressHomeButton()
    stage.device.performBackgroundFetch()
    #expect(stage.diary.lines.contains("fetch ended: noData"))
    stage.device.foreground()
    stage.device.sendMemoryWarning()
    stage.device.terminate()
    #expect(stage.device.state == .notRunning)
  }

  @Test func fetches() {
    let (stage, delegate) = stage(modes: "fetch")
    stage.device.pressHomeButton()
    delegate.lines = []
    stage.device.performBackgroundFetch()
    #expect(delegate.lines == ["didEnterBackground background", "performFetch background"])
    #expect(stage.device.state == .suspended)
    delegate.fetchResult = nil
    stage.device.performBackgroundFetch()
    stage.clock.advance(bySeconds: 29)
    #expect(stage.device.keptRunningBy == .fetch)
    stage.clock.advance(bySeconds: 1)
    #expect(stage.device.lastTermination?.code == .backgroundFetch)
    stage.device.launch()
    stage.device.application.setMinimumBackgroundFetchInterval(
      UIApplication.backgroundFetchIntervalNever)
    stage.device.pressHomeButton()
    stage.device.performBackgroundFetch()
    #expect(
      stage.diary.lines.last == "refused: the application set no minimum background fetch interval")
  }

  @Test func backgroundTasks() {
    let (stage, delegate) = stage()
    let application = stage.device.application
    var task = UIBackgroundTaskIdentifier.invalid
    var expirations = 0
    delegate.onBackground = { application in
      task = application.beginBackgroundTask(withName: "upload") {
        expirations += 1
        application.endBackgroundTask(task)
        application.endBackgroundTask(task)
        task = .invalid
      }
    }
    #expect(application.backgroundTimeRemaining == .greatestFiniteMagnitude)
    stage.device.pressHomeButton()
    #expect(task != .invalid)
    #expect(stage.device.openTasks.map(\.name) == ["upload"])
    #expect(application.backgroundTimeRemaining == 180)
    stage.clock.advance(bySeconds: 175)
    #expect(expirations == 1 && task == .invalid)
    #expect(stage.device.state == .suspended)
    #expect(stage.diary.lines.filter { $0.hasPrefix("refused") }.count == 1)
    #expect(application.beginBackgroundTask() == .invalid)
  }

  @Test func theEndOfATaskDoesNotSuspendTheCodeThatEndsIt() {
    let (stage, _) = stage()
    let application = stage.device.application
    let task = application.beginBackgroundTask(withName: nil, expirationHandler: nil)
    stage.device.pressHomeButton()
    application.endBackgroundTask(task)
    #expect(stage.device.state == .background)
    let next = application.beginBackgroundTask()
    stage.clock.advance(bySeconds: 1)
    #expect(stage.device.state == .background)
    application.endBackgroundTask(next)
    stage.clock.runUntilIdle()
    #expect(stage.device.state == .suspended)
  }

  @Test func tasksBeginAndEndOnAnyThread() {
    let (stage, _) = stage()
    let application = stage.device.application
    let open = Mutex<Set<UIBackgroundTaskIdentifier>>([])
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for round in 0..<200 {
        let task = application.beginBackgroundTask(withName: "x") {}
        open.withLock { _ = $0.insert(task) }
        if round % 2 == 0 { application.endBackgroundTask(task) }
        _ = application.backgroundTimeRemaining
      }
    }
    #expect(open.withLock { $0.count } == 1600)
    #expect(stage.device.openTasks.count == 800)
  }

  @Test func sharedIsThatOfTheCurrentDevice() async {
    let (stage, delegate) = stage()
    // Calls have their own device as the current one.
    #expect(!delegate.lines.contains { $0.hasSuffix("of another") })
    #expect(UIApplication.shared !== stage.device.application)
    Device.withCurrent(stage.device) { #expect(UIApplication.shared === stage.device.application) }
    await Device.withCurrent(stage.device) {
      await Task.yield()
      #expect(UIApplication.shared === stage.device.application)
      await Task { @MainActor in #expect(UIApplication.shared === stage.device.application) }.value
    }
    #expect(UIApplication.shared === Device.current.application)
    #expect(Device.current.modes == BackgroundModes())
    struct Oops: Error {}
    #expect(throws: Oops.self) { try Device.withCurrent(stage.device) { throw Oops() } }
  }

  @Test func anApplicationWithoutItsDeviceDoesNothing() {
    let application: UIApplication
    do {
      let device = Device(modes: BackgroundModes(), clock: VirtualClock())
      application = device.application
      #expect(application === device.application)
    }
    #expect(application.applicationState == .background)
    #expect(application.beginBackgroundTask() == .invalid)
    application.endBackgroundTask(.invalid)
    #expect(application.backgroundTimeRemaining == 0)
  }

  @Test func machine() {
    let machine = UIDevice.current
    #expect(machine.isMultitaskingSupported && !machine.name.isEmpty && machine.model == "Linux")
    machine.isBatteryMonitoringEnabled = true
    #expect(machine.batteryLevel == -1 && machine.batteryState == .unknown)
  }

  @Test func oldNames() {
    #expect(UIBackgroundTaskInvalid == .invalid)
    #expect(UIApplicationBackgroundFetchIntervalNever == UIApplication.backgroundFetchIntervalNever)
    #expect(UIApplicationBackgroundFetchIntervalMinimum == 0)
    let names = [
      UIApplicationDidFinishLaunchingNotification, UIApplicationDidBecomeActiveNotification,
      UIApplicationWillResignActiveNotification, UIApplicationDidEnterBackgroundNotification,
      UIApplicationWillEnterForegroundNotification, UIApplicationWillTerminateNotification,
    ]
    #expect(
      names == [
        UIApplication.didFinishLaunchingNotification, UIApplication.didBecomeActiveNotification,
        UIApplication.willResignActiveNotification, UIApplication.didEnterBackgroundNotification,
        UIApplication.willEnterForegroundNotification, UIApplication.willTerminateNotification,
      ])
    let application = UIApplication.shared
    application.isIdleTimerDisabled = true
    #expect(application.isIdleTimerDisabled)
    application.isIdleTimerDisabled = false
  }

  @Test func applesNumbers() {
    #expect(UIApplication.State.allCases.map(\.rawValue) == [0, 1, 2])
    #expect(UIBackgroundFetchResult.allCases.map(\.rawValue) == [0, 1, 2])
    #expect(UIBackgroundRefreshStatus.allCases.map(\.rawValue) == [0, 1, 2])
    #expect(UIApplication.backgroundFetchIntervalNever == .greatestFiniteMagnitude)
    #expect(
      TerminationReport.Code.allCases.map(\.description) == [
        "0x8badf00d", "0x2182bad2", "0x2182bad3", "0x2182bad4",
      ])
  }
}
