import Clocks
import Testing

@testable import AppLifecycle

/// Background sessions, as decisions.
@Suite struct MachineSessionTests {
  typealias Line = MachineDriver.Line

  private func suspended() -> MachineDriver {
    var settings = LifecycleSettings()
    settings.backgroundTime = 3
    var driver = MachineDriver(modes: "none", settings: settings)
    driver.happen(.launch)
    driver.happen(.home)
    driver.forget()
    return driver
  }

  private func complete(_ driver: inout MachineDriver) {
    driver.send(.sessionEventsCompleted(driver.machine.sessionEvents.keys.max() ?? 0))
  }

  @Test func aSuspendedOneIsToldAndSuspendedAgain() {
    var driver = suspended()
    driver.happen(.backgroundSession("s"), token: 1)
    #expect(
      driver.lines == [.enter(.background), .act(.resume), .tellSession("s")] && driver.finished == [1])
    #expect(driver.machine.runningReason == .backgroundSession && driver.remaining == 30)
    driver.advance(20)
    #expect(driver.machine.state == .background && driver.remaining == 10)
    complete(&driver)
    #expect(driver.machine.state == .suspended && driver.reports.isEmpty)
    #expect(driver.notes.contains(.sessionEventsEnded("s")) && driver.rules.violations.isEmpty)
  }

  @Test func eventsThatNobodyHandlesAreRecordedAsSuch() {
    var driver = suspended()
    driver.happen(.backgroundSession("s"), token: 1)
    driver.send(.sessionEventsIgnored("s"))
    complete(&driver)
    #expect(driver.machine.state == .suspended && driver.notes.contains(.sessionEventsIgnored("s")))
    #expect(!driver.notes.contains(.sessionEventsEnded("s")) && driver.rules.violations.isEmpty)
  }

  @Test func oneThatDoesNotRunIsLaunchedIntoTheBackground() {
    var driver = suspended()
    driver.happen(.terminate)
    driver.forget()
    driver.happen(.backgroundSession("s"))
    #expect(
      driver.lines == [
        .enter(.inactive), .act(.launch), .call(.didFinishLaunching), .call(.didEnterBackground),
        .enter(.background), .act(.enterBackground), .tellSession("s"),
      ])
  }

  @Test func oneThatDoesNotFinishIsTerminated() {
    var driver = suspended()
    driver.happen(.backgroundSession("s"))
    driver.advance(30)
    #expect(driver.machine.state == .notRunning)
    #expect(driver.reports.map(\.code) == [.backgroundSession])
    #expect(driver.reports.first?.culprit == .backgroundSession("s") && driver.rules.violations.isEmpty)
  }

  @Test func inFrontThereIsNoLimit() {
    var driver = suspended()
    driver.happen(.backgroundSession("s"))
    driver.happen(.foreground)
    driver.advance(100)
    #expect(driver.machine.state == .active && driver.machine.sessionEvents.isEmpty)
    driver.forget()
    driver.happen(.backgroundSession("s"))
    #expect(driver.lines.isEmpty)
  }

  @Test func quittingIsToldBeforeTheEndAlsoWhereNothingRuns() {
    var driver = suspended()
    driver.happen(.quit)
    #expect(driver.lines == [.act(.quit), .act(.terminate), .enter(.notRunning)])
    driver.forget()
    driver.happen(.quit)
    #expect(driver.lines == [.act(.quit)])
  }

  @Test func quittingIsToldAlsoWhereTheLastCallTakesTooLong() {
    var driver = MachineDriver()
    driver.happen(.launch)
    driver.returnsAtOnce = false
    driver.forget()
    driver.happen(.quit)
    driver.advance(100)
    #expect(driver.reports.map(\.code) == [.watchdog])
    #expect(driver.lines.contains(.act(.quit)))
    #expect(driver.rules.violations.isEmpty)
  }
}
