import AppLifecycle
import Clocks
import Testing

@testable import ContinuoCommand

@Suite struct PhoneMachineTests {
  /// A phone whose program is told and answered by hand.
  struct Driver {
    var machine = PhoneMachine(name: "App", grace: 1)
    var now = HostTime(nanoseconds: 0)

    @discardableResult
    mutating func send(_ input: PhoneMachine.Input) -> [PhoneMachine.Action] {
      machine.handle(input, at: now)
    }

    @discardableResult
    mutating func press(_ happening: LifecycleHappening, token: UInt64? = nil) -> [PhoneMachine.Action] {
      send(.press(happening, token: token))
    }

    @discardableResult
    mutating func state(_ state: ApplicationState) -> [PhoneMachine.Action] {
      send(.report(.event(.state(state), now)))
    }

    mutating func pass(_ seconds: Double) -> [PhoneMachine.Action] {
      now = now.advanced(bySeconds: seconds)
      return send(.timePassed)
    }

    /// A running application in front.
    static func active(_ modes: BackgroundModes = BackgroundModes()) -> Driver {
      var driver = Driver()
      driver.send(.started)
      driver.send(.report(.hello(modes, .notRunning)))
      driver.state(.inactive)
      driver.state(.active)
      return driver
    }

    /// An application whose processes are stopped.
    static func stopped(_ modes: BackgroundModes = BackgroundModes()) -> Driver {
      var driver = active(modes)
      driver.press(.home)
      driver.state(.inactive)
      driver.state(.background)
      driver.state(.suspended)
      driver.send(.report(.done(1, .suspended)))
      driver.send(.report(.still(grace: 0, wake: nil, returnsOnUnlock: false)))
      driver.send(.stood(isComplete: true))
      return driver
    }
  }

  private func sent(_ actions: [PhoneMachine.Action]) -> [LifecycleHappening] {
    actions.compactMap { if case .send(let order) = $0 { order.happening } else { nil } }
  }

  @Test("Stops an application that is suspended, still and past its grace, and then says so")
  func stop() {
    var driver = Driver.active()
    #expect(driver.press(.home, token: 7) == [.send(PhoneOrder(number: 1, .home))])
    driver.state(.inactive)
    #expect(driver.state(.background) == [.state(.background, driver.now)])
    #expect(driver.state(.suspended) == [])
    #expect(driver.send(.report(.done(1, .suspended))) == [.finished(token: 7, refusal: nil)])
    #expect(driver.send(.report(.still(grace: 5, wake: nil, returnsOnUnlock: false))) == [])
    #expect(driver.pass(0.9) == [])
    #expect(driver.pass(0.1) == [.stop])
    #expect(driver.machine.state == .background)
    #expect(driver.send(.stood(isComplete: true)) == [.state(.suspended, driver.now)])
    #expect(driver.machine.nextDeadline == nil)
  }

  @Test("A task that begins in the grace, or just before the stop, keeps the application running")
  func takenBack() {
    for isLate in [false, true] {
      var driver = Driver.active()
      driver.press(.home)
      driver.state(.background)
      driver.state(.suspended)
      driver.send(.report(.done(1, .suspended)))
      driver.send(.report(.still(grace: 1, wake: nil, returnsOnUnlock: false)))
      if isLate { #expect(driver.pass(1) == [.stop]) }
      #expect(driver.state(.background) == (isLate ? [.resume] : []))
      #expect(driver.send(.stood(isComplete: true)) == [])
      #expect(driver.pass(5) == [] && driver.machine.state == .background)
    }
  }

  @Test("Resumes before it tells, with what did not wake the application first")
  func wake() {
    var driver = Driver.stopped()
    #expect(driver.press(.lock, token: 1) == [.finished(token: 1, refusal: nil)])
    #expect(driver.press(.memoryWarning) == [] && driver.press(.fetch) == [] && driver.press(.unlock) == [])
    let actions = driver.press(.foreground)
    #expect(actions.first == .resume)
    #expect(sent(actions) == [.lock, .memoryWarning, .fetch, .unlock, .foreground])
    #expect(driver.state(.inactive) == [.state(.inactive, driver.now)])
  }

  @Test("A stopped application runs again for data that it watches, or at the time that it has named")
  func wokenByItself() {
    for isTimed in [false, true] {
      var driver = Driver.active(BackgroundModes([.voip]))
      driver.press(.home)
      for state in [ApplicationState.inactive, .background, .suspended] { driver.state(state) }
      driver.send(.report(.done(1, .suspended)))
      #expect(driver.send(.woken) == [])
      driver.send(.report(.still(grace: 0, wake: isTimed ? 600 : nil, returnsOnUnlock: false)))
      #expect(driver.send(.stood(isComplete: true)) == [.state(.suspended, driver.now)])
      #expect(driver.pass(599) == [])
      #expect((isTimed ? driver.pass(1) : driver.send(.woken)) == [.resume])
      // It found nothing to do.
      var idle = driver
      #expect(idle.pass(PhoneMachine.wakeLimit) == [.stop])
      #expect(driver.state(.background) == [.state(.background, driver.now)])
      #expect(driver.pass(PhoneMachine.wakeLimit) == [])
    }
  }

  @Test("A wake for data that finds nothing leaves the time of the keep-alive call")
  func wokenForNothing() {
    var driver = Driver.active(BackgroundModes([.voip]))
    driver.press(.home)
    for state in [ApplicationState.inactive, .background, .suspended] { driver.state(state) }
    driver.send(.report(.done(1, .suspended)))
    driver.send(.report(.still(grace: 0, wake: 600, returnsOnUnlock: false)))
    driver.send(.stood(isComplete: true))
    #expect(driver.send(.woken) == [.resume])
    #expect(driver.pass(PhoneMachine.wakeLimit) == [.stop])
    driver.send(.stood(isComplete: true))
    #expect(driver.pass(600 - PhoneMachine.wakeLimit - 0.1) == [])
    #expect(driver.pass(0.1) == [.resume])
    // The time has passed: it is not repeated.
    #expect(driver.pass(PhoneMachine.wakeLimit) == [.stop])
    driver.send(.stood(isComplete: true))
    #expect(driver.machine.nextDeadline == nil)
  }

  @Test("A touch waits for the launch, and never wakes")
  func touch() {
    var driver = Driver()
    driver.send(.started)
    driver.send(.report(.hello(BackgroundModes(), .notRunning)))
    #expect(driver.press(.touch("tap")) == [])
    #expect(sent(driver.state(.inactive)) == [.touch("tap")])
    driver = .stopped()
    #expect(driver.press(.touch("tap"), token: 3) == [.finished(token: 3, refusal: nil)])
  }

  @Test(
    "The modes decide what wakes",
    arguments: [LifecycleHappening.fetch, .interruptionEnded(shouldResume: true)])
  func modes(_ happening: LifecycleHappening) {
    var driver = Driver.stopped(BackgroundModes([.audio, .fetch]))
    #expect(sent(driver.press(happening)) == [happening])
    // It had no effect: the application stands again.
    #expect(driver.send(.report(.done(2, .suspended))) == [])
    #expect(driver.send(.report(.still(grace: 0, wake: nil, returnsOnUnlock: false))) == [.stop])
    #expect(driver.send(.stood(isComplete: true)) == [])
  }

  /// An application whose processes are stopped after these events.
  private func stopped(after happenings: LifecycleHappening..., returnsOnUnlock: Bool) -> Driver {
    var driver = Driver.active()
    for happening in happenings { driver.press(happening) }
    driver.state(.background)
    driver.state(.suspended)
    for number in happenings.indices { driver.send(.report(.done(UInt64(number + 1), .suspended))) }
    let still = PhoneReport.still(grace: 0, wake: nil, returnsOnUnlock: returnsOnUnlock)
    #expect(driver.send(.report(still)) == [.stop])
    driver.send(.stood(isComplete: true))
    return driver
  }

  @Test("An unlock resumes a stopped application if that has reported that it returns to the foreground then")
  func unlock() {
    var driver = stopped(after: .lock, returnsOnUnlock: true)
    #expect(sent(driver.press(.unlock)) == [.unlock])
    // The device ignores the launch of a running application.
    driver = stopped(after: .lock, returnsOnUnlock: true)
    #expect(driver.press(.launch) == [])
    #expect(sent(driver.press(.unlock)) == [.launch, .unlock])
    driver = stopped(after: .lock, .launch, returnsOnUnlock: true)
    #expect(sent(driver.press(.unlock)) == [.unlock])
    // The lock is pressed while the application is still on its way to the foreground.
    driver = stopped(after: .home, .foreground, .lock, returnsOnUnlock: true)
    #expect(sent(driver.press(.unlock)) == [.unlock])
    driver = stopped(after: .home, .lock, returnsOnUnlock: false)
    #expect(sent(driver.press(.unlock)) == [])
    driver.press(.terminate)
    driver.send(.ended(.killed(signal: 9)))
    #expect(!driver.machine.profile.returnsOnUnlock)
  }

  @Test("Terminates a stopped application without a call, and launches it anew")
  func terminate() {
    var driver = Driver.stopped()
    #expect(driver.press(.terminate, token: 3) == [.finished(token: 3, refusal: nil), .kill])
    #expect(
      driver.send(.ended(.killed(signal: 9))) == [.state(.notRunning, driver.now), .over(.terminated)])
    #expect(
      driver.press(.home, token: 4) == [
        .finished(token: 4, refusal: "the application is not running")
      ])
    #expect(driver.press(.launch) == [.start])
  }

  @Test("A launch right behind the termination waits for the end")
  func launchAgain() {
    var driver = Driver.active()
    driver.press(.terminate)
    driver.send(.report(.terminated(nil, driver.now)))
    #expect(driver.press(.launch, token: 7) == [])
    #expect(driver.send(.ended(.killed(signal: 9))).last == .start)
    driver.send(.started)
    #expect(sent(driver.send(.report(.hello(BackgroundModes(), .notRunning)))) == [.launch])
    #expect(!driver.machine.launchesInBackground)
  }

  @Test("A fetch that meets an ending application launches it after the end, unless the user does")
  func fetchOfAnEndingApplication() {
    for isLaunched in [false, true] {
      var driver = Driver.active(BackgroundModes([.fetch]))
      driver.send(.report(.terminated(nil, driver.now)))
      #expect(driver.press(.fetch, token: 5) == [])
      if isLaunched { #expect(driver.press(.launch) == [.finished(token: 5, refusal: nil)]) }
      #expect(driver.send(.ended(.killed(signal: 9))).last == .start)
      #expect(driver.machine.launchesInBackground != isLaunched)
    }
  }

  @Test("A stop and an end are in progress until all processes stand or have ended")
  func settled() {
    var driver = Driver.active()
    driver.press(.home)
    for state in [ApplicationState.inactive, .background] { driver.state(state) }
    #expect(driver.machine.isSettled)
    driver.state(.suspended)
    driver.send(.report(.done(1, .suspended)))
    #expect(!driver.machine.isSettled)
    driver.send(.report(.still(grace: 0, wake: nil, returnsOnUnlock: false)))
    #expect(!driver.machine.isSettled)
    driver.send(.stood(isComplete: true))
    #expect(driver.machine.isSettled)
    driver.press(.terminate)
    #expect(!driver.machine.isSettled)
    driver.send(.ended(.killed(signal: 9)))
    #expect(driver.machine.isSettled)
  }

  @Test("A fetch launches an application that does not run, in the background, if that has the mode")
  func fetchOfAnApplicationThatDoesNotRun() {
    var driver = Driver()
    #expect(
      driver.press(.fetch, token: 1) == [.finished(token: 1, refusal: "the application is not running")])
    driver.machine = PhoneMachine(name: "App", grace: 1, modes: BackgroundModes([.fetch]))
    #expect(driver.press(.fetch, token: 2) == [.start])
    #expect(driver.machine.launchesInBackground)
    driver.send(.started)
    #expect(sent(driver.send(.report(.hello(BackgroundModes([.fetch]), .notRunning)))) == [.fetch])
  }

  @Test("A launch is done when the application has handled it, however long the program takes to start")
  func launchIsDone() {
    var driver = Driver()
    #expect(driver.press(.launch, token: 1) == [.start])
    driver.send(.started)
    #expect(driver.pass(ProgramLink.helloLimit + 1) == [])
    let actions = driver.send(.report(.hello(BackgroundModes(), .notRunning)))
    #expect(actions == [.send(PhoneOrder(number: 1, .launch))])
    #expect(driver.send(.report(.done(1, .active))) == [.finished(token: 1, refusal: nil)])
  }

  @Test("The transfers of a session resume a stopped application")
  func sessionOfAStoppedApplication() {
    var driver = Driver.stopped()
    let actions = driver.press(.backgroundSession("a"))
    #expect(actions == [.resume, .send(PhoneOrder(number: 2, .backgroundSession("a")))])
    #expect(driver.state(.background) == [.state(.background, driver.now)])
  }

  @Test("The transfers of a session launch an application that has ended, in the background, before all else")
  func sessionOfAnEndedApplication() {
    var driver = Driver.stopped()
    driver.press(.terminate)
    #expect(driver.send(.ended(.killed(signal: 9))).last == .over(.terminated))
    #expect(driver.press(.backgroundSession("a"), token: 5) == [.start])
    #expect(driver.machine.launchesInBackground)
    driver.send(.started)
    #expect(driver.press(.home) == [] && driver.press(.backgroundSession("b")) == [])
    let sessions = [LifecycleHappening.backgroundSession("a"), .backgroundSession("b")]
    #expect(sent(driver.send(.report(.hello(BackgroundModes(), .notRunning)))) == sessions)
    #expect(sent(driver.press(.backgroundSession("c"))) == [.backgroundSession("c")])
    #expect(sent(driver.state(.inactive)) == [.home])
    // A launch by the user is one in front again.
    driver.send(.report(.terminated(nil, driver.now)))
    driver.send(.ended(.killed(signal: 9)))
    #expect(driver.press(.launch) == [.start] && !driver.machine.launchesInBackground)
    driver.send(.started)
    driver.send(.report(.hello(BackgroundModes(), .notRunning)))
    #expect(driver.press(.backgroundSession("d")) == [])
    #expect(sent(driver.state(.inactive)) == [.backgroundSession("d")])
  }

  @Test(
    "A wake that meets an ending application is dropped: the transfer service repeats it after the end, once")
  func sessionOfAnEndingApplication() {
    for isLaunched in [false, true] {
      var driver = Driver.active()
      driver.send(.report(.terminated(nil, driver.now)))
      #expect(driver.press(.backgroundSession("a"), token: 5) == [.finished(token: 5, refusal: nil)])
      if isLaunched { driver.press(.launch) }
      let last = driver.send(.ended(.killed(signal: 9))).last
      #expect(last == (isLaunched ? .start : .over(.terminated)))
      if !isLaunched { #expect(driver.press(.backgroundSession("a")) == [.start]) }
      driver.send(.started)
      driver.press(.backgroundSession("a"), token: 6)
      let actions = driver.send(.report(.hello(BackgroundModes(), .notRunning))) + driver.state(.inactive)
      #expect(sent(actions) == (isLaunched ? [.launch] : []) + [.backgroundSession("a")])
      #expect(driver.machine.launchesInBackground != isLaunched)
    }
  }

  @Test("An event whose identifier does not fit into a packet is refused at once")
  func longIdentifier() {
    let identifier = String(repeating: "ä", count: PhoneOrder.limit / 2)
    var driver = Driver.stopped()
    let actions = driver.press(.backgroundSession(identifier), token: 5)
    #expect(actions == [.finished(token: 5, refusal: "its identifier is longer than 8000 bytes")])
    #expect(driver.machine.isRunning && driver.machine.state == .suspended)
    driver.press(.terminate)
    driver.send(.ended(.killed(signal: 9)))
    #expect(driver.press(.backgroundSession(identifier)) == [])
  }

  @Test("A program whose device is active from the beginning enters the background for a session")
  func sessionOfAProgramWithoutALaunch() {
    var driver = Driver()
    driver.send(.started)
    driver.send(.ended(.exited(0)))
    driver.press(.backgroundSession("a"))
    driver.send(.started)
    let actions = driver.send(.report(.hello(BackgroundModes(), .active)))
    #expect(sent(actions) == [.home, .backgroundSession("a")])
  }

  @Test("A fault kills, with its report")
  func fault() {
    var driver = Driver.active()
    let fault = PhoneReport.Fault(code: "0x8badf00d", reason: "slow", text: "Application terminated\n  slow")
    let actions = driver.send(.report(.terminated(fault, driver.now)))
    #expect(actions.contains(.report(fault, driver.now)) && actions.last == .kill)
    #expect(driver.send(.ended(.killed(signal: 9))) == [.state(.notRunning, driver.now), .over(.faulted)])
    #expect(driver.machine.profile.lastFault == fault)
  }

  @Test("An end by itself is its own; a kill from outside is a crash")
  func ends() {
    var driver = Driver.active()
    #expect(driver.send(.ended(.exited(3))).last == .over(.byItself(.exited(3))))
    driver = .active()
    let actions = driver.send(.ended(.killed(signal: 9)))
    #expect(actions.last == .over(.byItself(.killed(signal: 9))))
    #expect(actions.contains(.complain("App has crashed: killed by signal 9 from outside the phone")))
  }

  @Test("A program without a device gets no calls, and is stopped and ended all the same")
  func stranger() {
    var driver = Driver()
    driver.send(.started)
    #expect(driver.pass(10) == [] && driver.machine.nextDeadline == nil)
    driver = Driver()
    driver.send(.started)
    #expect(driver.press(.home, token: 1) == [])
    let actions = driver.pass(ProgramLink.helloLimit)
    #expect(actions.contains(.stop) && actions.contains(.finished(token: 1, refusal: nil)))
    #expect(driver.send(.stood(isComplete: true)) == [.state(.suspended, driver.now)])
    #expect(driver.press(.foreground).prefix(1) == [.resume] && driver.machine.state == .active)
    #expect(driver.press(.lock).contains(.stop))
    driver.send(.stood(isComplete: false))
    #expect(driver.press(.unlock).contains(.resume) && driver.machine.state == .active)
    #expect(driver.press(.terminate).contains(.kill))
  }

  @Test("Events of before the launch wait for it: a device that is not launched ignores them")
  func early() {
    var driver = Driver()
    driver.send(.started)
    #expect(driver.press(.home) == [])
    #expect(sent(driver.send(.report(.hello(BackgroundModes(), .notRunning)))) == [])
    #expect(driver.press(.terminate, token: 3) == [])
    #expect(driver.pass(ProgramLink.launchLimit - 0.1) == [])
    #expect(sent(driver.state(.inactive)) == [.home, .terminate])
    #expect(driver.send(.report(.done(2, .inactive))) == [.finished(token: 3, refusal: nil)])
    // An application that has made itself known later, in its life.
    driver = Driver()
    driver.send(.started)
    driver.press(.home)
    #expect(sent(driver.send(.report(.hello(BackgroundModes(), .active)))) == [.home])
    // One that launches its device late, or has closed its end of the link before.
    driver = Driver()
    driver.send(.started)
    driver.send(.report(.hello(BackgroundModes(), .notRunning)))
    driver.press(.home)
    #expect(sent(driver.pass(ProgramLink.launchLimit)) == [.home])
    // A phone may launch a device that the program does not launch.
    driver = Driver()
    driver.send(.started)
    driver.send(.report(.hello(BackgroundModes(), .notRunning)))
    driver.press(.terminate)
    #expect(sent(driver.press(.launch)) == [.launch])
    #expect(sent(driver.state(.inactive)) == [.terminate])
  }

  @Test("A stopped application is told each kind of event once, and is woken after any number")
  func manyEventsOfAStoppedApplication() {
    var driver = Driver.stopped()
    for token in 0..<UInt64(PressQueue.limit) {
      let happening: LifecycleHappening = token % 2 == 0 ? .lock : .unlock
      #expect(driver.press(happening, token: token) == [.finished(token: token, refusal: nil)])
    }
    #expect(sent(driver.press(.foreground)) == [.lock, .unlock, .foreground])
    driver = .stopped()
    #expect(driver.press(.terminate) == [.kill])
  }

  @Test("Without its link an application is a stranger, to whom unanswered events happen")
  func lostLink() {
    var driver = Driver.active()
    driver.press(.home, token: 1)
    #expect(driver.send(.linkEnded) == [])
    let actions = driver.pass(ProgramLink.endLimit)
    #expect(actions.contains(.stop) && actions.contains(.finished(token: 1, refusal: nil)))
    // One that ends loses its link just before.
    driver = .active()
    driver.send(.linkEnded)
    #expect(
      driver.send(.ended(.exited(0))) == [.state(.notRunning, driver.now), .over(.byItself(.exited(0)))])
  }

  @Test("A link that ends while the processes are stopped leaves them stopped")
  func lostLinkWhileStopped() {
    var driver = Driver.stopped()
    driver.send(.linkEnded)
    #expect(driver.pass(ProgramLink.endLimit).allSatisfy { if case .complain = $0 { true } else { false } })
    #expect(driver.press(.foreground).first == .resume)
  }

  @Test("Waiting events are limited")
  func limit() {
    var driver = Driver()
    driver.send(.started)
    for _ in 0..<PressQueue.limit { driver.press(.home) }
    #expect(
      driver.press(.home, token: 1) == [
        .finished(token: 1, refusal: "too many events wait for the application")
      ])
  }
}
