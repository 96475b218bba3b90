import Clocks
import Testing

@testable import AppLifecycle

/// Calls that take time, the budget, the watchdog.
@Suite struct MachineTimeTests {
  typealias Line = MachineDriver.Line

  /// A launched machine.
  func launched(
    _ modes: String = "audio,fetch", _ change: (inout LifecycleSettings) -> Void = { _ in }
  )
    -> MachineDriver
  {
    var settings = LifecycleSettings()
    change(&settings)
    var driver = MachineDriver(modes: modes, settings: settings)
    driver.send(.fetchIntervalChanged(0))
    driver.happen(.launch)
    driver.forget()
    return driver
  }

  @Test func happeningsWaitForTheCallInOrder() {
    var driver = launched()
    driver.returnsAtOnce = false
    driver.happen(.home, token: 1)
    driver.happen(.foreground, token: 2)
    driver.happen(.terminate, token: 3)
    #expect(driver.lines == [.call(.willResignActive)])
    #expect(driver.finished.isEmpty)
    for _ in 0..<10 { driver.returnCall() }
    let calls = driver.lines.compactMap {
      if case .call(let callback) = $0 { callback } else { nil }
    }
    #expect(
      calls == [
        .willResignActive, .didEnterBackground, .willEnterForeground, .didBecomeActive,
        .willTerminate,
      ])
    #expect(driver.finished == [1, 2, 3])
    #expect(driver.rules.violations.isEmpty)
  }

  @Test func noMoreWaitThanTheLimit() {
    var driver = launched()
    driver.returnsAtOnce = false
    driver.happen(.home)
    for _ in 0..<LifecycleMachine.happeningLimit { driver.happen(.memoryWarning) }
    driver.happen(.foreground, token: 5)
    #expect(driver.finished == [5])
    #expect(driver.notes.last == .refused(.tooMuchWaits(.foreground)))
    driver.advance(5)
    #expect(driver.machine.state == .notRunning)
    #expect(driver.machine.arrivals.isEmpty)
  }

  @Test(
    arguments: [
      (.willResignActive, 5), (.didEnterBackground, 5), (.willTerminate, 5),
      (.didReceiveMemoryWarning, 5),
      (.didFinishLaunching, 20), (.didBecomeActive, 20), (.willEnterForeground, 20),
      (.backgroundRefreshStatusDidChange, 5),
    ] as [(LifecycleCallback, Double)])
  func aCallThatTakesTooLongEndsTheApplication(callback: LifecycleCallback, limit: Double) {
    for seconds in [limit - 0.001, limit] {
      var driver = MachineDriver()
      driver.inCall = { called, driver in if called == callback { driver.advance(seconds) } }
      let happenings: [LifecycleHappening] = [
        .launch, .memoryWarning, .refreshStatusChanged(.denied), .home, .foreground, .terminate,
      ]
      for happening in happenings where driver.reports.isEmpty { driver.happen(happening) }
      #expect(driver.machine.state == .notRunning)
      #expect(driver.rules.violations.isEmpty)
      guard seconds == limit else {
        #expect(driver.reports.isEmpty)
        continue
      }
      #expect(driver.reports.map(\.code) == [.watchdog])
      #expect(driver.reports.first?.culprit == .callback(callback))
      #expect(driver.reports.first?.took == limit)
      #expect(driver.lines.suffix(2) == [.act(.terminate), .enter(.notRunning)])
    }
  }

  @Test func aLateReturnOfATerminatedApplicationIsIgnored() throws {
    var driver = launched()
    driver.returnsAtOnce = false
    driver.happen(.home)
    let old = try #require(driver.open)
    driver.advance(6)
    #expect(driver.machine.state == .notRunning)
    driver.happen(.launch)
    let before = driver.machine
    driver.send(.callReturned(old))
    #expect(driver.machine == before)
    driver.returnCall()
    driver.returnCall()
    #expect(driver.machine.state == .active)
  }

  @Test func whatWaitsWhenTheApplicationDiesIsDoneWithTheNext() {
    var driver = launched()
    driver.returnsAtOnce = false
    driver.happen(.home)
    driver.happen(.launch, token: 1)
    driver.returnsAtOnce = true
    driver.advance(5)
    #expect(driver.machine.state == .active)
    #expect(driver.reports.count == 1)
    #expect(driver.finished == [1])
  }

  // MARK: The budget

  @Test func aTaskHasItsTimeAndIsWarned() throws {
    var driver = launched()
    #expect(driver.remaining == .greatestFiniteMagnitude)
    let begun = driver.begin("upload")
    let task = try #require(begun)
    driver.advance(1000)
    #expect(driver.remaining == .greatestFiniteMagnitude)
    driver.happen(.home)
    #expect(driver.remaining == 180)
    driver.forget()
    driver.advance(174.999)
    #expect(driver.lines.isEmpty)
    #expect(abs(driver.remaining - 5.001) < 1e-9)
    driver.advance(0.001)
    #expect(driver.lines == [.expire(task.rawValue)])
    #expect(driver.machine.state == .background)
    driver.advance(4)
    driver.end(task)
    #expect(driver.machine.state == .suspended)
    #expect(driver.reports.isEmpty)
    #expect(driver.remaining == 1)
    driver.advance(1000)
    #expect(driver.remaining == 1)
    driver.happen(.foreground)
    #expect(driver.remaining == .greatestFiniteMagnitude)
    driver.happen(.home)
    #expect(driver.machine.state == .suspended)
    #expect(driver.remaining == 180)
  }

  @Test func tasksOpenAtZeroAreAllNamed() throws {
    var driver = launched()
    driver.begin("first")
    driver.begin(nil, hasHandler: false)
    driver.begin("third")
    let begun = driver.begin("fourth")
    let fourth = try #require(begun)
    driver.happen(.home)
    driver.end(fourth)
    driver.forget()
    driver.advance(179.999)
    #expect(driver.lines == [.expire(1), .expire(3)])
    driver.advance(0.001)
    let report = try #require(driver.reports.first)
    #expect(report.code == .backgroundTask)
    guard case .tasks(let tasks) = report.culprit else {
      Issue.record("not the tasks")
      return
    }
    #expect(tasks.map(\.name) == ["first", nil, "third"])
    #expect(report.took == 180 && report.allowed == 180 && report.backgroundTimeUsed == 180)
    #expect(report.state == .background)
    #expect(
      report.description == """
        Application terminated: 0x2182bad2
          Reason: no background time was left and these background tasks had not been ended: "first", number 2 \
        (without a name), "third" (allowed: 180.00 s)
          State: background
          Background modes: audio,fetch
          Background time used: 180.00 s
          Time: 180.00 s on the host's clock
          Open background tasks:
            "first", begun 180.00 s ago, expiration handler called
            number 2 (without a name), begun 180.00 s ago, no expiration handler
            "third", begun 180.00 s ago, expiration handler called
        """)
    #expect(driver.machine.tasks.isEmpty)
    #expect(driver.remaining == 0)
  }

  @Test func handlersRunOneAfterTheOther() {
    var driver = launched()
    driver.begin("a")
    driver.begin("b")
    driver.happen(.home)
    driver.forget()
    driver.returnsAtOnce = false
    driver.advance(175)
    #expect(driver.lines == [.expire(1)])
    driver.advance(2)
    #expect(driver.lines == [.expire(1)])
    driver.returnCall()
    #expect(driver.lines == [.expire(1), .expire(2)])
    // The handler that never returns is not to blame before its own 5 s are over: the tasks are.
    driver.advance(3)
    #expect(driver.reports.map(\.code) == [.backgroundTask])
  }

  @Test func aHandlerThatNeverReturnsIsNamed() {
    var driver = launched()
    driver.begin("upload")
    driver.happen(.home)
    driver.returnsAtOnce = false
    driver.advance(175)
    driver.end(UIBackgroundTaskIdentifier(rawValue: 1))
    driver.advance(5)
    #expect(driver.reports.map(\.code) == [.watchdog])
    #expect(
      driver.reports.first?.reason.contains(
        "the expiration handler of the background task \"upload\"")
        == true)
    driver = launched()
    driver.begin("upload")
    driver.happen(.home)
    driver.returnsAtOnce = false
    driver.advance(180)
    #expect(driver.reports.map(\.code) == [.watchdog])
  }

  @Test func aPersonWhoComesBackStopsTheExpiration() {
    var driver = launched()
    driver.begin("a")
    driver.begin("b")
    driver.happen(.home)
    driver.returnsAtOnce = false
    driver.advance(176)
    driver.happen(.foreground)
    driver.forget()
    driver.returnsAtOnce = true
    driver.returnCall()
    #expect(driver.machine.state == .active)
    #expect(!driver.lines.contains(.expire(2)))
    driver.advance(1000)
    #expect(driver.reports.isEmpty)
  }

  @Test func aTaskBegunTooLateExpiresAtOnce() throws {
    var driver = launched()
    let begun = driver.begin("first")
    let first = try #require(begun)
    driver.happen(.home)
    driver.advance(178)
    driver.forget()
    let begunLate = driver.begin("second")
    let second = try #require(begunLate)
    #expect(driver.lines == [.expire(second.rawValue)])
    driver.end(first)
    driver.advance(1.999)
    #expect(driver.machine.state == .background)
    driver.advance(0.001)
    #expect(driver.reports.map(\.code) == [.backgroundTask])
    #expect(driver.begin("third") == nil)
    #expect(driver.notes.last == .refused(.noBackgroundTime(name: "third")))
  }

  @Test func noTaskWhileSuspendedOrWithoutTime() throws {
    var driver = launched()
    driver.happen(.home)
    #expect(driver.machine.state == .suspended)
    #expect(driver.begin() == nil)
    driver = launched { $0.backgroundTime = 0 }
    driver.inCall = { callback, driver in
      if callback == .didEnterBackground {
        #expect(driver.remaining == 0)
        #expect(driver.begin() == nil)
      }
    }
    driver.happen(.home)
    #expect(driver.machine.state == .suspended)
    driver = launched { $0.backgroundTime = -.nan }
    #expect(driver.begin() != nil)
    #expect(driver.machine.settings.backgroundTime == 0)
  }

  @Test func aTaskBegunInDidEnterBackgroundComesInTime() {
    var driver = launched()
    driver.inCall = { callback, driver in
      if callback == .didEnterBackground { driver.begin("late") }
    }
    driver.happen(.home)
    #expect(driver.machine.state == .background)
    driver.end(UIBackgroundTaskIdentifier(rawValue: 1))
    #expect(driver.machine.state == .suspended)
    driver.end(UIBackgroundTaskIdentifier(rawValue: 1))
    #expect(driver.notes.last == .refused(.noSuchTask(UIBackgroundTaskIdentifier(rawValue: 1))))
  }

  /// What `didEnterBackground` has started comes to its request after the suspension.
  @Test func aTaskTakesTheSuspensionBackInItsGrace() throws {
    func suspended() -> MachineDriver {
      var driver = launched { $0.suspensionGrace = 2 }
      driver.inCall = { callback, driver in
        if callback == .didEnterBackground { driver.send(.mayHaveLeftWork) }
      }
      driver.happen(.home)
      #expect(driver.machine.state == .suspended)
      driver.forget()
      return driver
    }
    var driver = suspended()
    driver.advance(1.999)
    let begun = driver.begin("late")
    let task = try #require(begun)
    #expect(driver.lines == [.enter(.background), .act(.resume)])
    #expect(driver.machine.state == .background && driver.remaining == 180)
    driver.advance(174)
    #expect(driver.machine.state == .background && driver.lines.count == 2)
    driver.advance(1)
    #expect(driver.lines.last == .expire(task.rawValue))
    driver.end(task)
    #expect(driver.machine.state == .suspended)
    #expect(driver.begin("too late") == nil)
    driver = suspended()
    driver.advance(2)
    #expect(driver.begin("too late") == nil)
    #expect(driver.notes.last == .refused(.noBackgroundTime(name: "too late")))
    driver = suspended()
    driver.happen(.terminate)
    #expect(driver.begin() == nil)
    // In front and away again it begins anew.
    driver = suspended()
    driver.advance(1)
    driver.happen(.foreground)
    driver.happen(.home)
    driver.advance(1.5)
    #expect(driver.begin() != nil)
    #expect(driver.rules.violations.isEmpty)
  }

  @Test func soundStopsTheBudget() throws {
    var driver = launched()
    driver.send(.keepersChanged([.audio]))
    driver.happen(.home)
    #expect(driver.machine.runningReason == .audio)
    driver.begin("task")
    driver.advance(10_000)
    #expect(driver.remaining == .greatestFiniteMagnitude)
    driver.send(.keepersChanged([]))
    #expect(driver.machine.runningReason == .task)
    #expect(driver.remaining == 180)
    driver.advance(178)
    driver.send(.keepersChanged([.audio]))
    driver.advance(1000)
    #expect(driver.remaining == .greatestFiniteMagnitude)
    // What was granted meanwhile is warned, however little is left.
    let begun = driver.begin("other")
    let other = try #require(begun)
    driver.forget()
    driver.send(.keepersChanged([]))
    #expect(driver.remaining == 5)
    #expect(driver.lines == [.expire(other.rawValue)])
    driver.advance(4.999)
    #expect(driver.reports.isEmpty)
    driver.advance(0.001)
    #expect(driver.reports.map(\.code) == [.backgroundTask])
  }

  @Test func nobodyDiesUnwarnedHoweverLateTimeIsSeen() {
    var driver = launched()
    driver.begin("task")
    driver.happen(.home)
    driver.forget()
    // As after a machine that stood still: nothing was seen in between.
    var machine = driver.machine
    let late = driver.now.advanced(bySeconds: 500)
    let actions = machine.handle(.timePassed, at: late)
    #expect(actions.contains { if case .expire = $0 { true } else { false } })
    #expect(machine.backgroundTimeRemaining(at: late) == 5)
    #expect(machine.handle(.timePassed, at: late.advanced(bySeconds: 4)).isEmpty)
    #expect(!machine.handle(.timePassed, at: late.advanced(bySeconds: 5)).isEmpty)
    #expect(machine.state == .notRunning)
  }

  @Test func tasksAreNotUnlimited() {
    var driver = launched()
    for _ in 0..<LifecycleMachine.taskLimit { #expect(driver.begin() != nil) }
    #expect(driver.begin("more") == nil)
    #expect(driver.notes.last == .refused(.tooManyTasks(name: "more")))
  }

  // MARK: Fetches, waking, suspension

  @Test func aFetchHasThirtySeconds() throws {
    for seconds in [29.999, 30] {
      var driver = launched()
      driver.happen(.home)
      driver.happen(.fetch)
      #expect(driver.machine.state == .background)
      #expect(driver.machine.runningReason == .fetch)
      let fetch = try #require(driver.machine.fetch?.id)
      driver.advance(seconds)
      driver.send(.fetchCompleted(fetch, .newData))
      if seconds < 30 {
        #expect(driver.machine.state == .suspended)
        #expect(driver.notes.contains(.fetchEnded(.newData)))
        // Fetches do not use background time up.
        #expect(driver.remaining == 180)
        driver.send(.fetchCompleted(fetch, .newData))
        #expect(driver.notes.last == .refused(.noSuchFetch))
      } else {
        #expect(driver.reports.map(\.code) == [.backgroundFetch])
        #expect(driver.reports.first?.culprit == .fetch)
        #expect(driver.machine.state == .notRunning)
      }
      #expect(driver.rules.violations.isEmpty)
    }
  }

  @Test func aFetchThatCompletesAndDoesNotReturnMeetsTheWatchdog() throws {
    var driver = launched()
    driver.happen(.home)
    driver.inCall = { callback, driver in
      guard callback == .performFetch, let fetch = driver.machine.fetch?.id else { return }
      driver.send(.fetchCompleted(fetch, .noData))
      driver.advance(30)
    }
    driver.happen(.fetch)
    #expect(driver.reports.map(\.code) == [.watchdog])
  }

  @Test func theFrontFreesAFetchOfItsLimit() {
    var driver = launched()
    driver.happen(.home)
    driver.happen(.fetch)
    driver.advance(29)
    driver.happen(.foreground)
    #expect(driver.notes.contains(.fetchEnded(nil)))
    driver.advance(1000)
    #expect(driver.machine.state == .active)
  }

  @Test func aWokenApplicationHasSomeSecondsToPlay() {
    for wake in [LifecycleHappening.remoteControl, .interruptionEnded(shouldResume: true)] {
      var driver = launched()
      driver.send(.keepersChanged([.audio]))
      driver.happen(.home)
      driver.happen(.interruptionBegan)
      driver.send(.keepersChanged([]))
      #expect(driver.machine.state == .suspended)
      driver.happen(wake)
      driver.advance(4.999)
      #expect(driver.machine.state == .background)
      driver.advance(0.001)
      #expect(driver.machine.state == .suspended)
    }
    var driver = launched()
    driver.happen(.home)
    driver.happen(.remoteControl)
    driver.send(.keepersChanged([.audio]))
    driver.advance(100)
    #expect(driver.machine.state == .background)
    driver.send(.keepersChanged([]))
    #expect(driver.machine.state == .suspended)
  }

  @Test(arguments: [
    ("audio", [BackgroundKeeper.audio], true), ("none", [.audio], false),
    ("fetch", [.audio], false),
    ("audio", [.task, .fetch], false), ("audio,fetch", [.audio, .fetch], true),
    ("location", [.location], true), ("audio", [.location], false), ("location", [.audio], false),
  ])
  func onlyWhatTheModesAllowKeepsItRunning(modes: String, keepers: [BackgroundKeeper], isKept: Bool) {
    var driver = launched(modes)
    driver.send(.keepersChanged(Set(keepers)))
    driver.happen(.home)
    #expect(driver.machine.state == (isKept ? .background : .suspended))
    driver.send(.keepersChanged([]))
    #expect(driver.machine.state == .suspended)
    driver.send(.keepersChanged([.audio]))
    #expect(driver.machine.state == .suspended)
  }

  @Test func suspensionWaitsForTheMainQueueButNotForEver() {
    func leaving() -> (LifecycleMachine, LifecycleMachine.CallID?) {
      var machine = launched("audio").machine
      var actions = machine.handle(.happened(.home), at: .init(nanoseconds: 0))
      while let id = actions.lazy.compactMap({ if case .call(let id, _) = $0 { id } else { nil } })
        .first
      {
        actions = machine.handle(.callReturned(id), at: .init(nanoseconds: 0))
      }
      actions = machine.handle(.settled, at: .init(nanoseconds: 0))
      guard case .reachMainQueue(let id)? = actions.first else { return (machine, nil) }
      return (machine, id)
    }
    let (waiting, id) = leaving()
    #expect(waiting.state == .background && id != nil)
    let now = waiting.now
    // It comes.
    var machine = waiting
    #expect(machine.handle(.callReturned(id ?? 0), at: now) == [.suspend, .enter(.suspended)])
    // It does not come.
    machine = waiting
    #expect(machine.nextDeadline == now.advanced(bySeconds: 5))
    #expect(
      machine.handle(.timePassed, at: now.advanced(bySeconds: 5)) == [.suspend, .enter(.suspended)])
    #expect(machine.handle(.callReturned(id ?? 0), at: now.advanced(bySeconds: 6)).isEmpty)
    // Something else comes first.
    machine = waiting
    _ = machine.handle(.taskBegan(.init(rawValue: 1), name: nil, hasHandler: false), at: now)
    #expect(machine.handle(.callReturned(id ?? 0), at: now).isEmpty)
    #expect(machine.handle(.settled, at: now).isEmpty)
    #expect(machine.state == .background)
    machine = waiting
    #expect(machine.handle(.happened(.foreground), at: now).contains(.enterForeground))
  }

  @Test func whatTheApplicationReadsAsItsState() {
    var seen: [LifecycleCallback: ApplicationState] = [:]
    var driver = MachineDriver()
    driver.returnsAtOnce = false
    for happening in [LifecycleHappening.launch, .home, .foreground, .interruptionBegan] {
      driver.forget()
      driver.happen(happening)
      while driver.machine.pending != nil {
        if case .call(let callback)? = driver.lines.last {
          seen[callback] = driver.machine.stateSeenByApplication
        }
        driver.returnCall()
      }
    }
    #expect(
      seen == [
        .didFinishLaunching: .inactive, .didBecomeActive: .active, .willResignActive: .active,
        .didEnterBackground: .background, .willEnterForeground: .background,
      ])
  }

  @Test func timeNeverGoesBack() {
    var driver = launched()
    driver.begin()
    driver.happen(.home)
    driver.advance(100)
    driver.send(.timePassed)
    var machine = driver.machine
    _ = machine.handle(.timePassed, at: .init(nanoseconds: 0))
    #expect(machine.backgroundTimeRemaining(at: .init(nanoseconds: 0)) == 80)
  }
}
