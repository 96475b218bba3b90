import TestSupport
import Testing

@testable import AppLifecycle

@Suite(.timeLimit(.minutes(10))) struct MachinePropertyTests {
  /// A thousand sequences of a thousand events each keep all rules of `ActionRules`.
  @Test func randomSequencesKeepTheRules() {
    var calls: Set<LifecycleCallback> = []
    var codes: Set<TerminationReport.Code> = []
    for seed in 0..<1000 as Range<UInt64> {
      var random = RandomSource(seed: seed)
      var settings = LifecycleSettings()
      if seed % 3 == 0 { settings.backgroundTime = Double(random.next() % 20) }
      var driver = MachineDriver(
        modes: ["none", "audio", "fetch,audio", "fetch", "location"][Int(seed % 5)], settings: settings)
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
      .interruptionEnded(shouldResume: random.next() % 2 == 0), .memoryWarning, .fetch, .remoteControl,
      .locationChanged,
      .refreshStatusChanged(random.next() % 4 == 0 ? .denied : .available),
      random.next() % 8 == 0 ? .terminate : .foreground,
    ]
    let number = Int(random.next() % 40)
    switch random.next() % 8 {
    case 0, 1, 2: driver.happen(happenings[number % happenings.count])
    case 3: driver.begin(number % 2 == 0 ? "task" : nil, hasHandler: number % 3 != 0)
    case 4:
      let open = driver.machine.tasks
      driver.end(open.isEmpty ? .init(rawValue: number) : open[number % open.count].id)
    case 5: driver.send(.keepersChanged(number % 2 == 0 ? [.audio] : number % 3 == 0 ? [.location] : []))
    case 6:
      let seconds = [0, 0.01, 1, 4.9, 5, 6, 20, 35, 170, 190][number % 10]
      driver.advance(number % 4 == 0 ? seconds : min(seconds, 2))
    default:
      switch number % 5 {
      case 0: driver.returnsAtOnce.toggle()
      case 1, 2: driver.returnCall()
      case 3: driver.send(.fetchIntervalChanged(number == 3 ? .infinity : 0))
      default: driver.send(.fetchCompleted(driver.machine.fetch?.id ?? 0, .newData))
      }
    }
  }
}
