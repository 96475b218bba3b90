import TestSupport
import Testing

@testable import AppLifecycle

/// A state with all that decides what a happening does in it.
enum Situation: String, CaseIterable {
  case neverLaunched, neverLaunchedInterrupted, terminated, terminatedAndLocked,
    terminatedInterrupted
  case active, interrupted, activeInterrupted
  case background, backgroundLocked, backgroundThenLocked, backgroundInterrupted, leftInterrupted
  case suspended, suspendedLocked, suspendedThenLocked, suspendedInterrupted,
    interruptedWhileSuspended
  case lockedInterrupted

  /// A machine in that situation. In the background a task keeps it running, so that it stays there.
  func driver(modes: String = "audio,fetch") -> MachineDriver {
    var driver = MachineDriver(modes: modes)
    let happenings: [LifecycleHappening] =
      switch self {
      case .neverLaunched: []
      case .neverLaunchedInterrupted: [.interruptionBegan]
      case .terminated: [.launch, .terminate]
      case .terminatedInterrupted: [.launch, .interruptionBegan, .terminate]
      case .terminatedAndLocked: [.launch, .lock, .terminate]
      case .active: [.launch]
      case .interrupted: [.launch, .interruptionBegan]
      case .activeInterrupted: [.launch, .interruptionBegan, .foreground]
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
    case .background, .backgroundLocked, .backgroundThenLocked, .backgroundInterrupted,
      .leftInterrupted,
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
  static func interrupted(_ launch: [Line]) -> [Line] {
    launch.dropLast() + [.act(.expectInterruption)] + launch.suffix(1) + began
  }
  static let enterBackground: [Line] = [
    .call(.didEnterBackground), .enter(.background), .act(.enterBackground),
  ]
  static let toForeground: [Line] = [
    .act(.enterForeground), .call(.willEnterForeground), .enter(.inactive),
  ]
  static let suspend: [Line] = [.act(.suspend), .enter(.suspended)]
  static let ended: [Line] = [.act(.terminate), .enter(.notRunning)]
  static let began: [Line] = [.act(.beginInterruption)]
  static func end(_ shouldResume: Bool) -> Line {
    .act(.endInterruption(shouldResume: shouldResume))
  }
  static let resume: [Line] = [.act(.resume)]

  static let happenings: [LifecycleHappening] = [
    .launch, .home, .foreground, .lock, .unlock, .interruptionBegan,
    .interruptionEnded(shouldResume: true),
    .interruptionEnded(shouldResume: false), .terminate, .memoryWarning, .fetch, .remoteControl,
    .locationChanged, .voipData, .keepAlive, .touch("a"), .launchTask("a"), .expireTask("a"),
    .refreshStatusChanged(.denied),
  ]

  /// What each happening does in each situation.
  static func expected(_ happening: LifecycleHappening, in situation: Situation) -> [Line] {
    switch situation {
    case .neverLaunched: launched(happening, launch)
    case .neverLaunchedInterrupted: launched(happening, interrupted(launch))
    case .terminated, .terminatedAndLocked: launched(happening, launchAgain)
    case .terminatedInterrupted: launched(happening, interrupted(launchAgain))
    case .active, .activeInterrupted:
      switch happening {
      case .home, .lock: resignActive + enterBackground + suspend
      case .fetch: resignActive + enterBackground + [.call(.performFetch)]
      // The screen again; the sound is the first call's already.
      case .interruptionBegan: resignActive + (situation == .active ? began : [])
      case .interruptionEnded(let shouldResume): situation == .active ? [] : [end(shouldResume)]
      case .terminate: [.call(.willTerminate)] + ended
      case .memoryWarning: [.call(.didReceiveMemoryWarning)]
      case .refreshStatusChanged: [.call(.backgroundRefreshStatusDidChange)]
      default: []
      }
    case .interrupted:
      switch happening {
      case .home, .lock: enterBackground + suspend
      case .fetch: enterBackground + [.call(.performFetch)]
      case .foreground: becomeActive
      case .interruptionEnded(let shouldResume): [end(shouldResume)] + becomeActive
      case .terminate: [.call(.willTerminate)] + ended
      case .memoryWarning: [.call(.didReceiveMemoryWarning)]
      case .refreshStatusChanged: [.call(.backgroundRefreshStatusDidChange)]
      default: []
      }
    case .background, .backgroundLocked, .backgroundThenLocked, .backgroundInterrupted,
      .leftInterrupted,
      .lockedInterrupted:
      inBackground(happening, situation)
    case .suspended, .suspendedLocked, .suspendedThenLocked, .suspendedInterrupted,
      .interruptedWhileSuspended:
      suspended(happening, situation)
    }
  }

  static func launched(_ happening: LifecycleHappening, _ lines: [Line]) -> [Line] {
    switch happening {
    case .launch: lines + becomeActive
    case .fetch: lines + enterBackground + [.call(.performFetch)]
    case .locationChanged: lines + enterBackground
    default: []
    }
  }

  static func inBackground(_ happening: LifecycleHappening, _ situation: Situation) -> [Line] {
    let isInterrupted = [.backgroundInterrupted, .leftInterrupted, .lockedInterrupted].contains(
      situation)
    return switch happening {
    case .foreground: toForeground + becomeActive
    // What interrupts does not keep it from the front.
    case .unlock:
      [.backgroundLocked, .lockedInterrupted].contains(situation) ? toForeground + becomeActive : []
    case .interruptionBegan: isInterrupted ? [] : began
    case .interruptionEnded(let shouldResume): isInterrupted ? [end(shouldResume)] : []
    case .terminate: [.call(.willTerminate)] + ended
    case .memoryWarning: [.call(.didReceiveMemoryWarning)]
    case .fetch: [.call(.performFetch)]
    case .refreshStatusChanged: [.call(.backgroundRefreshStatusDidChange)]
    case .backgroundSession(let session): [.tellSession(session)]
    case .quit: [.call(.willTerminate), .act(.quit)] + ended
    case .launch, .home, .lock, .remoteControl, .locationChanged, .voipData, .keepAlive,
      .touch, .launchTask, .expireTask:
      []
    }
  }

  static func suspended(_ happening: LifecycleHappening, _ situation: Situation) -> [Line] {
    let missed = situation == .interruptedWhileSuspended ? began : []
    return switch happening {
    case .foreground: toForeground + missed + resume + becomeActive
    case .unlock: situation == .suspendedLocked ? toForeground + resume + becomeActive : []
    case .interruptionEnded(shouldResume: true):
      situation == .suspendedInterrupted ? [.enter(.background), end(true)] + resume : []
    case .terminate: ended
    case .fetch:
      [.enter(.background)] + missed + resume + [.call(.didEnterBackground), .call(.performFetch)]
    case .remoteControl, .locationChanged: [.enter(.background)] + missed + resume
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
      case .act, .expire, .launchTask, .expireTask, .tellSession: false
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
      driver.lines == Self.toForeground + [Self.end(true)] + Self.resume
        + [.call(.backgroundRefreshStatusDidChange)] + Self.becomeActive)
    driver.forget()
    driver.happen(.home)
    driver.happen(.foreground)
    #expect(
      driver.lines == Self.resignActive + Self.enterBackground + Self.suspend + Self.toForeground
        + Self.resume + Self.becomeActive)
    // One that came and went while it was suspended it never hears of.
    driver.happen(.home)
    driver.happen(.interruptionBegan)
    driver.happen(.interruptionEnded(shouldResume: true))
    driver.forget()
    driver.happen(.foreground)
    #expect(driver.lines == Self.toForeground + Self.resume + Self.becomeActive)
  }

  /// Of two calls while it was suspended it hears in order, but nothing of one that is over by then.
  @Test func twoInterruptionsWhileSuspendedAreToldInOrder() {
    for isOver in [false, true] {
      var driver = Situation.suspendedInterrupted.driver(modes: "none")
      driver.happen(.interruptionEnded(shouldResume: false))
      driver.happen(.interruptionBegan)
      if isOver { driver.happen(.interruptionEnded(shouldResume: true)) }
      #expect(driver.lines.isEmpty)
      driver.happen(.foreground)
      #expect(
        driver.lines == Self.toForeground + [Self.end(false)] + (isOver ? [] : Self.began)
          + Self.resume
          + Self.becomeActive)
    }
  }

  @Test func aSecondBeginningAfterAPersonCameBackTakesTheScreenAgain() {
    var driver = Situation.activeInterrupted.driver()
    driver.happen(.interruptionBegan)
    driver.happen(.interruptionEnded(shouldResume: false))
    #expect(driver.lines == Self.resignActive + [Self.end(false)] + Self.becomeActive)
    driver.forget()
    driver.happen(.interruptionEnded(shouldResume: false))
    #expect(driver.lines.isEmpty)
  }

  /// Every order of what concerns interruptions, four happenings long (with more rounds five), keeps the rules, and nobody waits for an end that
  /// never comes: whoever was told of a beginning is told of the end once that has come and he runs.
  @Test(arguments: ["none", "audio"]) func everyShortSequenceKeepsTheRules(modes: String) {
    let happenings: [LifecycleHappening] = [
      .launch, .home, .foreground, .lock, .unlock, .interruptionBegan,
      .interruptionEnded(shouldResume: true),
      .interruptionEnded(shouldResume: false), .terminate,
    ]
    let length = Rounds.count(4) > 4 ? 5 : 4
    var count = 0
    func follow(_ driver: MachineDriver, _ path: [LifecycleHappening]) {
      for happening in happenings {
        var next = driver
        next.happen(happening)
        let path = path + [happening]
        count += 1
        var last = next
        last.happen(.interruptionEnded(shouldResume: false))
        last.happen(.foreground)
        last.happen(.launch)
        if last.machine.state != .active || last.rules.isTold || !last.rules.violations.isEmpty {
          Issue.record(
            "\(path): \(last.machine.state), \(last.rules.isTold), \(last.rules.violations)")
          return
        }
        if path.count < length { follow(next, path) }
      }
    }
    var driver = MachineDriver(modes: modes)
    driver.happen(.launch)
    driver.forget()
    follow(driver, [])
    #expect(count == (length == 5 ? 66_429 : 7_380))
  }

  @Test func fetchesAreRefusedWithAReason() {
    func refusal(_ modes: String = "fetch", _ prepare: (inout MachineDriver) -> Void)
      -> LifecycleRefusal?
    {
      var driver = MachineDriver(modes: modes)
      prepare(&driver)
      driver.forget()
      driver.happen(.fetch)
      for case .refused(let refusal) in driver.notes { return refusal }
      return nil
    }
    #expect(refusal("audio") { $0.send(.fetchIntervalChanged(0)) } == .fetchNeedsMode)
    #expect(refusal { $0.happen(.launch) } == .fetchNotAskedFor)
    #expect(
      refusal {
        $0.happen(.launch)
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
        $0.happen(.fetch)
      } == .fetchNotNow)
    #expect(refusal { $0.send(.fetchIntervalChanged(0)) } == nil)
  }

  /// The system waits at least as long as the application wants. A device whose application never ran launches it.
  @Test func theMinimumIntervalHolds() throws {
    var driver = MachineDriver(modes: "fetch")
    driver.inCall = { callback, driver in
      if callback == .didFinishLaunching { driver.send(.fetchIntervalChanged(600)) }
    }
    func fetch() throws {
      driver.forget()
      driver.happen(.fetch)
      #expect(driver.lines.last == .call(.performFetch))
      driver.send(.fetchCompleted(try #require(driver.machine.fetch?.id), .newData))
      #expect(driver.machine.state == .suspended)
    }
    try fetch()
    driver.advance(599.5)
    driver.forget()
    driver.happen(.fetch)
    #expect(driver.lines.isEmpty && driver.notes.last == .refused(.fetchTooEarly(seconds: 0.5)))
    #expect("\(LifecycleRefusal.fetchTooEarly(seconds: 0.5))".hasSuffix(" ends in 1.0 s"))
    driver.advance(0.5)
    try fetch()
    // The interval outlives the application, and holds in front too.
    driver.happen(.terminate)
    driver.happen(.launch)
    driver.advance(599)
    driver.happen(.fetch)
    #expect(driver.machine.state == .active)
    driver.advance(1)
    try fetch()
  }
}
