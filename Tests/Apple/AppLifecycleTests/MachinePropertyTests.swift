import TestSupport
import Testing

@testable import AppLifecycle

@Suite(.timeLimit(.minutes(10))) struct MachinePropertyTests {
  /// Sequences of a thousand events each keep all rules of `ActionRules`.
  @Test func randomSequencesKeepTheRules() {
    var calls: Set<LifecycleCallback> = []
    var codes: Set<TerminationReport.Code> = []
    for seed in 0..<UInt64(Rounds.count(200)) {
      var random = RandomSource(seed: seed)
      var settings = LifecycleSettings()
      if seed % 3 == 0 { settings.backgroundTime = Double(random.next() % 20) }
      settings.permittedTaskIdentifiers = ["a", "b", "c"]
      settings.socketReclaim = SocketReclaim.allCases[Int(seed % 3)]
      var driver = MachineDriver(
        modes: ["none", "audio", "fetch,audio", "fetch", "location", "voip,audio", "fetch,processing"][
          Int(seed % 7)],
        settings: settings)
      driver.inCall = { callback, driver in
        if callback == .didFinishLaunching { _ = (driver.register("a"), driver.register("b")) }
        if callback == .didEnterBackground, seed % 2 == 0 { driver.send(.mayHaveLeftWork) }
      }
      for _ in 0..<1000 { Self.step(&driver, &random) }
      driver.returnsAtOnce = true
      driver.returnCall()
      driver.happen(.terminate, token: 1)
      #expect(driver.machine.state == .notRunning, "seed \(seed)")
      #expect(driver.finished.last == 1, "seed \(seed)")
      #expect(driver.rules.violations.isEmpty, "seed \(seed)")
      #expect(driver.rules.count > 100, "seed \(seed) did too little")
      calls.formUnion(driver.rules.calls)
      codes.formUnion(driver.rules.reports)
    }
    #expect(calls == Set(LifecycleCallback.allCases))
    #expect(codes == Set(TerminationReport.Code.allCases))
  }

  static func step(_ driver: inout MachineDriver, _ random: inout RandomSource) {
    let happenings: [LifecycleHappening] = [
      .launch, .launch, .home, .home, .foreground, .lock, .unlock, .interruptionBegan,
      .interruptionEnded(shouldResume: random.next() % 2 == 0), .memoryWarning, .fetch,
      .remoteControl,
      .locationChanged, .voipData, .launchTask(["a", "b", "c"][Int(random.next() % 3)]), .expireTask("a"),
      .backgroundSession("s"), random.next() % 8 == 0 ? .quit : .launch,
      .refreshStatusChanged(random.next() % 4 == 0 ? .denied : .available),
      random.next() % 8 == 0 ? .terminate : .foreground,
    ]
    let number = Int(random.next() % 40)
    switch random.next() % 10 {
    case 0, 1, 2: driver.happen(happenings[number % happenings.count])
    case 3: driver.begin(number % 2 == 0 ? "task" : nil, hasHandler: number % 3 != 0)
    case 4:
      let open = driver.machine.tasks
      driver.end(open.isEmpty ? .init(rawValue: number) : open[number % open.count].id)
    case 5:
      driver.send(.keepersChanged(number % 2 == 0 ? [.audio] : number % 3 == 0 ? [.location] : []))
    case 6:
      if number == 39 { return driver.advance(600) }
      let seconds = [0, 0.01, 1, 4.9, 5, 6, 20, 35, 170, 190][number % 10]
      driver.advance(number % 4 == 0 ? seconds : min(seconds, 2))
    case 7: driver.send(.keepAliveChanged([nil, 599, 600, 1000][number % 4]))
    case 8:
      let running = driver.machine.scheduledTasks
      switch number % 4 {
      case 0: _ = driver.submit(["a", "b", "c"][number % 3], number % 3 == 0 ? .refresh : .processing)
      case 1: if let task = running.first { driver.send(.expirationHandlerChanged(task.number, true)) }
      case 2: if let task = running.last { driver.send(.scheduledTaskCompleted(task.number, success: true)) }
      default: driver.machine.cancelTask(number == 3 ? nil : "a")
      }
    default:
      switch number % 5 {
      case 0: driver.returnsAtOnce.toggle()
      case 1, 2: driver.returnCall()
      case 3: driver.send(.fetchIntervalChanged(number == 3 ? .infinity : 0))
      case 4 where number % 2 == 0:
        driver.send(.sessionEventsCompleted(driver.machine.sessionEvents.keys.max() ?? 0))
      default: driver.send(.fetchCompleted(driver.machine.fetch?.id ?? 0, .newData))
      }
    }
  }
}
