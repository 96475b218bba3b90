import Clocks
import Testing

@testable import AppLifecycle

/// The task scheduler, as decisions.
@Suite struct MachineScheduledTaskTests {
  typealias Line = MachineDriver.Line

  /// A machine that was launched and has a handler for "refresh" and "work".
  private func launched(_ modes: String = "fetch,processing") -> MachineDriver {
    var settings = LifecycleSettings()
    settings.permittedTaskIdentifiers = ["refresh", "work", "other"]
    // Less than any task has.
    settings.backgroundTime = 3
    var driver = MachineDriver(modes: modes, settings: settings)
    driver.inCall = { callback, driver in
      if callback == .didFinishLaunching {
        for identifier in ["refresh", "work"] { #expect(driver.register(identifier) == .granted) }
      }
    }
    driver.happen(.launch)
    driver.forget()
    return driver
  }

  /// A suspended one, with a request.
  private func suspended(_ kind: ScheduledTaskRequest.Kind, _ identifier: String = "refresh") -> MachineDriver
  {
    var driver = launched()
    #expect(driver.submit(identifier, kind) == nil)
    driver.happen(.home)
    #expect(driver.machine.state == .suspended)
    driver.forget()
    return driver
  }

  private let suspend: [Line] = [.act(.suspend), .enter(.suspended)]
  private let resumed: [Line] = [.enter(.background), .act(.resume), .call(.didEnterBackground)]

  private func number(_ driver: MachineDriver) -> UInt64 { driver.machine.scheduledTasks.first?.number ?? 0 }

  @Test func aTaskRunsUntilItIsCompleted() {
    var driver = suspended(.refresh)
    driver.happen(.launchTask("refresh"), token: 1)
    #expect(driver.lines == resumed + [.launchTask("refresh")] && driver.finished == [1])
    #expect(driver.machine.runningReason == .scheduledTask && driver.remaining == 30)
    #expect(driver.machine.taskRequests.isEmpty)
    driver.advance(20)
    #expect(driver.remaining == 10 && driver.machine.state == .background)
    driver.send(.scheduledTaskCompleted(number(driver), success: true))
    #expect(driver.lines == resumed + [.launchTask("refresh")] + suspend)
    #expect(driver.notes.contains(.scheduledTaskEnded("refresh", success: true)))
    // It was for once.
    driver.happen(.launchTask("refresh"))
    #expect(driver.notes.last == .refused(.noTaskRequest("refresh")))
    #expect(driver.rules.violations.isEmpty && driver.reports.isEmpty)
  }

  @Test(arguments: [(ScheduledTaskRequest.Kind.refresh, 25.0), (.processing, 295)])
  func theHandlerIsCalledBeforeTheEnd(kind: ScheduledTaskRequest.Kind, warning: Double) {
    var driver = suspended(kind)
    driver.happen(.launchTask("refresh"))
    driver.send(.expirationHandlerChanged(number(driver), true))
    driver.advance(warning - 0.001)
    #expect(driver.lines.last == .launchTask("refresh"))
    driver.advance(0.001)
    #expect(driver.lines.last == .expireTask(1) && driver.machine.state == .background)
    driver.advance(4.999)
    #expect(driver.reports.isEmpty)
    driver.send(.scheduledTaskCompleted(1, success: false))
    #expect(driver.lines.suffix(2) == suspend[...] && driver.rules.violations.isEmpty)
  }

  @Test func whoDoesNotCompleteItIsTerminated() {
    var driver = suspended(.refresh)
    driver.happen(.launchTask("refresh"))
    driver.send(.expirationHandlerChanged(number(driver), true))
    driver.advance(30)
    let report = driver.reports.first
    #expect(report?.code == .backgroundTask && report?.culprit == .scheduledTask("refresh"))
    #expect(report?.took == 30 && report?.allowed == 30)
    #expect(report?.reason.hasPrefix("the scheduled task refresh was not completed after 30.00 s") == true)
    #expect(driver.machine.state == .notRunning && driver.rules.violations.isEmpty)
  }

  @Test func withoutAHandlerItIsOverWithoutSuccess() {
    var driver = suspended(.refresh)
    driver.happen(.launchTask("refresh"))
    driver.advance(25)
    #expect(driver.lines == resumed + [.launchTask("refresh")] + suspend && driver.reports.isEmpty)
    #expect(driver.notes.contains(.scheduledTaskEnded("refresh", success: false)))
  }

  @Test func aBlockedLaunchHandlerEndsTheApplication() {
    var driver = suspended(.refresh)
    driver.returnsAtOnce = false
    driver.happen(.launchTask("refresh"))
    driver.returnCall()
    driver.advance(30)
    #expect(driver.reports.first?.code != nil && driver.machine.state == .notRunning)
  }

  /// However late the check comes.
  @Test func nobodyIsTerminatedWithoutAWarning() {
    var driver = suspended(.refresh)
    driver.happen(.launchTask("refresh"))
    driver.send(.expirationHandlerChanged(number(driver), true))
    var machine = driver.machine
    let late = driver.now.advanced(bySeconds: 100)
    let actions = machine.handle(.timePassed, at: late)
    #expect(actions.contains { if case .expireTask = $0 { true } else { false } })
    #expect(!actions.contains(.terminate) && machine.nextDeadline == late.advanced(bySeconds: 5))
  }

  @Test func theSystemCanEndItEarlier() {
    var driver = suspended(.processing)
    driver.happen(.launchTask("refresh"))
    driver.send(.expirationHandlerChanged(number(driver), true))
    driver.advance(10)
    driver.happen(.expireTask("refresh"))
    #expect(driver.lines.last == .expireTask(1) && driver.remaining == 5)
    driver.advance(5)
    #expect(driver.reports.first?.allowed == 15 && driver.rules.violations.isEmpty)
    driver.happen(.expireTask("refresh"))
    #expect(driver.notes.last == .refused(.noSuchScheduledTask("refresh")))
  }

  @Test func anApplicationThatDoesNotRunIsLaunchedForIt() {
    var driver = suspended(.refresh)
    driver.happen(.terminate)
    driver.forget()
    driver.happen(.launchTask("refresh"))
    #expect(
      driver.lines == [
        .enter(.inactive), .act(.launch), .call(.didFinishLaunching), .call(.didEnterBackground),
        .enter(.background), .act(.enterBackground), .launchTask("refresh"),
      ])
    #expect(driver.rules.violations.isEmpty)
  }

  @Test func inFrontAndTwiceAtATimeThereIsNone() {
    var driver = launched()
    #expect(driver.submit("work", .processing) == nil)
    driver.happen(.launchTask("work"))
    #expect(driver.notes.last == .refused(.taskNotNow("work")) && driver.machine.taskRequests.count == 1)
    driver.happen(.home)
    driver.happen(.launchTask("work"))
    #expect(driver.submit("work", .processing) == nil)
    driver.happen(.launchTask("work"))
    #expect(driver.notes.last == .refused(.taskNotNow("work")))
    // In front it is a task like any other work there.
    driver.happen(.foreground)
    #expect(driver.notes.contains(.scheduledTaskEnded("work", success: nil)))
    #expect(driver.machine.effectiveKeepers.isEmpty && driver.machine.nextDeadline == nil)
    #expect(driver.rules.violations.isEmpty)
  }

  @Test func withoutAHandlerForItNothingRuns() {
    var driver = launched()
    #expect(driver.submit("other", .processing) == nil)
    driver.happen(.home)
    driver.happen(.launchTask("other"))
    #expect(driver.notes.contains(.refused(.noLaunchHandler("other"))))
    #expect(driver.machine.state == .suspended && driver.rules.violations.isEmpty)
  }

  @Test func requestsAreRefused() {
    var driver = launched("fetch")
    #expect(driver.submit("stranger", .refresh) == .identifierNotPermitted)
    #expect(driver.submit("work", .processing) == .needsMode(.processing))
    #expect(driver.submit("refresh", .refresh) == nil)
    #expect(driver.submit("work", .refresh) == .tooMany(limit: 1))
    driver.happen(.refreshStatusChanged(.denied))
    #expect(driver.submit("refresh", .refresh) == .unavailable)
    driver.happen(.home)
    driver.happen(.launchTask("refresh"))
    #expect(driver.notes.last == .refused(.fetchNotAllowed))
  }

  @Test func tenOthersCanWaitAndTheSameReplaces() {
    var settings = LifecycleSettings()
    settings.permittedTaskIdentifiers = Set((0...10).map { "work\($0)" })
    var driver = MachineDriver(modes: "processing", settings: settings)
    for number in 0..<10 { #expect(driver.submit("work\(number)", .processing) == nil) }
    #expect(driver.submit("work10", .processing) == .tooMany(limit: 10))
    #expect(driver.submit("work3", .processing) == nil)
    #expect(driver.machine.taskRequests.map(\.identifier).suffix(2) == ["work9", "work3"])
    driver.machine.cancelTask("work3")
    #expect(driver.submit("work10", .processing) == nil)
    driver.machine.cancelTask(nil)
    #expect(driver.machine.taskRequests.isEmpty)
  }

  @Test func registrationEndsWithTheLaunch() {
    var driver = launched()
    #expect(driver.register("other") == .tooLate)
    driver.happen(.terminate)
    // Before the next launch, for one identifier once, and only for permitted ones.
    driver.inCall = nil
    #expect(driver.register("other") == .granted && driver.register("other") == .twice)
    #expect(driver.register("stranger") == .notPermitted)
  }
}
