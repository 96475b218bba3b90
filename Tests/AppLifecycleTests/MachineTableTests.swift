import Testing

@testable import AppLifecycle

/// A state with all that decides what a happening does in it.
enum Situation: String, CaseIterable {
  case neverLaunched, terminated, terminatedAndLocked, active, interrupted
  case background, backgroundLocked, backgroundThenLocked, backgroundInterrupted, leftInterrupted
  case suspended, suspendedLocked, suspendedThenLocked, suspendedInterrupted, interruptedWhileSuspended
  case lockedInterrupted

  /// A machine in that situation. In the background a task keeps it running, so that it stays there.
  func driver(modes: String = "audio,fetch") -> MachineDriver {
    var driver = MachineDriver(modes: modes)
    let happenings: [LifecycleHappening] =
      switch self {
      case .neverLaunched: []
      case .terminated: [.launch, .terminate]
      case .terminatedAndLocked: [.launch, .lock, .terminate]
      case .active: [.launch]
      case .interrupted: [.launch, .interruptionBegan]
      case .background, .suspended: [.launch, .home]
      case .backgroundLocked, .suspendedLocked: [.launch, .lock]
      case .backgroundThenLocked, .suspendedThenLocked: [.launch, .home, .lock]
      case .backgroundInterrupted: [.launch, .home, .interruptionBegan]
      case .leftInterrupted, .suspendedInterrupted: [.launch, .interruptionBegan, .home]
      case .interruptedWhileSuspended: [.launch, .home, .interruptionBegan]
      case .lockedInterrupted: [.launch, .interruptionBegan, .lock]
      }
    driver.send(.fetchIntervalChanged(0))
    for (index, happening) in happenings.enumerated() {
      if index == 1, staysInBackground { driver.begin("stays") }
      driver.happen(happening)
    }
    driver.forget()
    return driver
  }

  private var staysInBackground: Bool {
    switch self {
    case .background, .backgroundLocked, .backgroundThenLocked, .backgroundInterrupted, .leftInterrupted,
      .lockedInterrupted:
      true
    default: false
    }
  }
}

@Suite struct MachineTableTests {
  typealias Line = MachineDriver.Line

  static let becomeActive: [Line] = [.call(.didBecomeActive), .enter(.active)]
  static let resignActive: [Line] = [.call(.willResignActive), .enter(.inactive)]
  static let launch: [Line] = [.enter(.inactive), .call(.didFinishLaunching)]
  static let launchAgain: [Line] = [.enter(.inactive), .act(.launch), .call(.didFinishLaunching)]
  static let enterBackground: [Line] = [
    .call(.didEnterBackground), .enter(.background), .act(.enterBackground),
  ]
  static let toForeground: [Line] = [
    .act(.enterForeground), .call(.willEnterForeground), .enter(.inactive),
  ]
  static let suspend: [Line] = [.act(.suspend), .enter(.suspended)]
  static let ended: [Line] = [.act(.terminate), .enter(.notRunning)]
  static let began: [Line] = [.act(.beginInterruption)]
  static func end(_ shouldResume: Bool) -> Line { .act(.endInterruption(shouldResume: shouldResume)) }
  static let resume: [Line] = [.act(.resume)]

  static let happenings: [LifecycleHappening] = [
    .launch, .home, .foreground, .lock, .unlock, .interruptionBegan, .interruptionEnded(shouldResume: true),
    .interruptionEnded(shouldResume: false), .terminate, .memoryWarning, .fetch, .remoteControl,
    .refreshStatusChanged(.denied),
  ]

  /// What each happening does in each situation.
  static func expected(_ happening: LifecycleHappening, in situation: Situation) -> [Line] {
    switch situation {
    case .neverLaunched:
      switch happening {
      case .launch: launch + becomeActive
      case .fetch: launch + enterBackground + [.call(.performFetch)]
      default: []
      }
    case .terminated, .terminatedAndLocked:
      switch happening {
      case .launch: launchAgain + becomeActive
      case .fetch: launchAgain + enterBackground + [.call(.performFetch)]
      default: []
      }
    case .active:
      switch happening {
      case .home, .lock: resignActive + enterBackground + suspend
      case .interruptionBegan: resignActive + began
      case .terminate: [.call(.willTerminate)] + ended
      case .memoryWarning: [.call(.didReceiveMemoryWarning)]
      case .refreshStatusChanged: [.call(.backgroundRefreshStatusDidChange)]
      default: []
      }
    case .interrupted:
      switch happening {
      case .home, .lock: enterBackground + suspend
      case .foreground: becomeActive
      case .interruptionEnded(let shouldResume): [end(shouldResume)] + becomeActive
      case .terminate: [.call(.willTerminate)] + ended
      case .memoryWarning: [.call(.didReceiveMemoryWarning)]
      case .refreshStatusChanged: [.call(.backgroundRefreshStatusDidChange)]
      default: []
      }
    case .background, .backgroundLocked, .backgroundThenLocked, .backgroundInterrupted, .leftInterrupted,
      .lockedInterrupted:
      inBackground(happening, situation)
    case .suspended, .suspendedLocked, .suspendedThenLocked, .suspendedInterrupted,
      .interruptedWhileSuspended:
      suspended(happening, situation)
    }
  }

  static func inBackground(_ happening: LifecycleHappening, _ situation: Situation) -> [Line] {
    switch happening {
    case .foreground: toForeground + becomeActive
    case .unlock:
      switch situation {
      case .backgroundLocked: toForeground + becomeActive
      // What interrupts still covers it.
      case .lockedInterrupted: toForeground
      default: []
      }
    case .interruptionBegan: began
    case .interruptionEnded(let shouldResume):
      [.backgroundInterrupted, .leftInterrupted, .lockedInterrupted].contains(situation)
        ? [end(shouldResume)] : []
    case .terminate: [.call(.willTerminate)] + ended
    case .memoryWarning: [.call(.didReceiveMemoryWarning)]
    case .fetch: [.call(.performFetch)]
    case .refreshStatusChanged: [.call(.backgroundRefreshStatusDidChange)]
    case .launch, .home, .lock, .remoteControl: []
    }
  }

  static func suspended(_ happening: LifecycleHappening, _ situation: Situation) -> [Line] {
    let missed = situation == .interruptedWhileSuspended ? began : []
    return switch happening {
    case .foreground: resume + missed + toForeground + becomeActive
    case .unlock: situation == .suspendedLocked ? resume + toForeground + becomeActive : []
    case .interruptionEnded(shouldResume: true):
      situation == .suspendedInterrupted ? resume + [.enter(.background), end(true)] : []
    case .terminate: ended
    case .fetch:
      resume + [.enter(.background)] + missed + [.call(.didEnterBackground), .call(.performFetch)]
    case .remoteControl: resume + [.enter(.background)] + missed
    default: []
    }
  }

  @Test(arguments: Situation.allCases, happenings)
  func everyHappeningInEverySituation(situation: Situation, happening: LifecycleHappening) {
    var driver = situation.driver()
    driver.happen(happening, token: 7)
    #expect(driver.lines == Self.expected(happening, in: situation))
    #expect(driver.rules.violations.isEmpty)
    #expect(driver.finished == [7])
  }

  /// lifecycle's table, row by row, with nothing but what the application sees.
  @Test func theOrderOfCallsAndStates() {
    var driver = MachineDriver(modes: "none")
    driver.happen(.launch)
    driver.happen(.home)
    driver.happen(.foreground)
    driver.happen(.interruptionBegan)
    driver.happen(.interruptionEnded(shouldResume: true))
    driver.happen(.terminate)
    let seen: [Line] = driver.lines.filter {
      switch $0 {
      case .call, .enter: true
      case .act, .expire: false
      }
    }
    let there: [Line] = [
      .enter(.inactive), .call(.didFinishLaunching), .call(.didBecomeActive), .enter(.active),
      .call(.willResignActive), .enter(.inactive), .call(.didEnterBackground), .enter(.background),
      .enter(.suspended),
    ]
    let back: [Line] = [
      .call(.willEnterForeground), .enter(.inactive), .call(.didBecomeActive), .enter(.active),
      .call(.willResignActive), .enter(.inactive), .call(.didBecomeActive), .enter(.active),
      .call(.willTerminate), .enter(.notRunning),
    ]
    #expect(seen == there + back)
  }

  @Test func opensTheLock() {
    for situation in Situation.allCases {
      var driver = situation.driver()
      driver.happen(.lock)
      #expect(driver.machine.isLocked)
      driver.happen(.unlock)
      #expect(!driver.machine.isLocked)
      for opening in [LifecycleHappening.foreground, .launch] {
        driver = situation.driver()
        driver.forget()
        driver.happen(opening)
        if !driver.lines.isEmpty { #expect(!driver.machine.isLocked) }
      }
    }
  }

  @Test func whatWasMissedIsToldOnceOnResumption() {
    var driver = Situation.suspendedInterrupted.driver(modes: "none")
    driver.happen(.interruptionEnded(shouldResume: true))
    driver.happen(.refreshStatusChanged(.denied))
    driver.happen(.refreshStatusChanged(.restricted))
    #expect(driver.lines.isEmpty)
    driver.happen(.foreground)
    #expect(
      driver.lines == Self.resume + [Self.end(true), .call(.backgroundRefreshStatusDidChange)]
        + Self.toForeground
        + Self.becomeActive)
    driver.forget()
    driver.happen(.home)
    driver.happen(.foreground)
    #expect(
      driver.lines == Self.resignActive + Self.enterBackground + Self.suspend + Self.resume
        + Self.toForeground + Self.becomeActive)
    // One that came and went while it was suspended it never hears of.
    driver.happen(.home)
    driver.happen(.interruptionBegan)
    driver.happen(.interruptionEnded(shouldResume: true))
    driver.forget()
    driver.happen(.foreground)
    #expect(driver.lines == Self.resume + Self.toForeground + Self.becomeActive)
  }

  @Test func aSecondBeginningAfterAPersonCameBackInterruptsAgain() {
    var driver = Situation.interrupted.driver()
    driver.happen(.foreground)
    driver.forget()
    driver.happen(.interruptionBegan)
    #expect(driver.lines == Self.resignActive + Self.began)
    driver.happen(.interruptionEnded(shouldResume: false))
    #expect(driver.machine.state == .active)
    driver.forget()
    driver.happen(.interruptionEnded(shouldResume: false))
    #expect(driver.lines.isEmpty)
  }

  @Test func fetchesAreRefusedWithAReason() {
    func refusal(_ modes: String = "fetch", _ prepare: (inout MachineDriver) -> Void) -> LifecycleRefusal? {
      var driver = MachineDriver(modes: modes)
      prepare(&driver)
      driver.forget()
      driver.happen(.fetch)
      for case .refused(let refusal) in driver.notes { return refusal }
      return nil
    }
    #expect(refusal("audio") { $0.send(.fetchIntervalChanged(0)) } == .fetchNeedsMode)
    #expect(refusal { _ in } == .fetchNotAskedFor)
    #expect(
      refusal {
        $0.send(.fetchIntervalChanged(0))
        $0.send(.fetchIntervalChanged(.infinity))
      } == .fetchNotAskedFor)
    #expect(
      refusal {
        $0.send(.fetchIntervalChanged(0))
        $0.happen(.refreshStatusChanged(.denied))
      } == .fetchNotAllowed)
    #expect(
      refusal {
        $0.send(.fetchIntervalChanged(0))
        $0.happen(.launch)
      } == .fetchNotNow)
    #expect(
      refusal {
        $0.send(.fetchIntervalChanged(0))
        $0.happen(.fetch)
      } == .fetchNotNow)
    #expect(refusal { $0.send(.fetchIntervalChanged(0)) } == nil)
  }
}
