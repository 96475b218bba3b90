import Clocks
import Testing

@testable import AppLifecycle

/// VoIP sockets and keep-alive calls, as decisions (Technical Note TN2277, "VoIP Sockets").
@Suite struct MachineVoIPTests {
  typealias Line = MachineDriver.Line

  private func suspended(_ modes: String = "voip", keepAlive: Double? = nil) -> MachineDriver {
    var settings = LifecycleSettings()
    settings.socketReclaim = .whenSuspended
    var driver = MachineDriver(modes: modes, settings: settings)
    driver.happen(.launch)
    if let keepAlive { driver.send(.keepAliveChanged(keepAlive)) }
    driver.happen(.home)
    #expect(driver.machine.state == .suspended)
    driver.forget()
    return driver
  }

  private let suspend: [Line] = [.act(.suspend), .enter(.suspended), .act(.reclaimSockets)]

  @Test func dataWakesASuspendedApplicationForTenSeconds() {
    var driver = suspended()
    driver.happen(.voipData, token: 1)
    #expect(driver.lines == [.enter(.background), .act(.resume)] && driver.finished == [1])
    #expect(driver.machine.runningReason == .voip && driver.remaining == .greatestFiniteMagnitude)
    driver.advance(9.999)
    #expect(driver.machine.state == .background)
    driver.advance(0.001)
    #expect(driver.lines == [.enter(.background), .act(.resume)] + suspend)
    // And again, for another ten.
    driver.happen(.voipData)
    driver.advance(9)
    #expect(driver.machine.state == .background)
    #expect(driver.rules.violations.isEmpty && driver.reports.isEmpty)
  }

  @Test func aTaskMakesItLonger() {
    var driver = suspended()
    driver.happen(.voipData)
    driver.begin("call")
    driver.advance(20)
    #expect(driver.machine.state == .background && driver.machine.runningReason == .task)
    #expect(driver.remaining == 170)
  }

  @Test func dataDoesNothingElsewhere() {
    for modes in ["none", "audio,fetch,location"] {
      var driver = suspended(modes)
      driver.happen(.voipData)
      #expect(driver.lines.isEmpty)
    }
    for happenings: [LifecycleHappening] in [[], [.launch], [.launch, .terminate]] {
      var driver = MachineDriver(modes: "voip")
      for happening in happenings { driver.happen(happening) }
      driver.forget()
      driver.happen(.voipData)
      #expect(driver.lines.isEmpty)
    }
  }

  @Test(arguments: [("none", 600), ("audio", 600), ("voip", 599.999), ("voip", -1), ("voip", .nan)])
  func keepAliveIsRefused(modes: String, interval: Double) {
    var driver = MachineDriver(modes: modes)
    driver.happen(.launch)
    driver.send(.keepAliveChanged(interval))
    #expect(driver.machine.keepAlive == nil && driver.machine.nextDeadline == nil)
    guard case .refused(let refusal)? = driver.notes.last else { return #expect(Bool(false)) }
    #expect("\(refusal)".contains(modes == "voip" ? "every 600.0 s at most" : "mode voip"))
  }

  @Test func keepAliveComesOnTimeAlsoWhileSuspended() {
    var driver = suspended(keepAlive: 600)
    driver.advance(599.999)
    #expect(driver.lines.isEmpty)
    driver.advance(0.001)
    let call: [Line] = [.enter(.background), .act(.resume), .call(.keepAlive)]
    #expect(driver.lines == call)
    driver.advance(10)
    #expect(driver.lines == call + suspend)
    driver.advance(590)
    #expect(driver.lines == call + suspend + call)
    driver.send(.keepAliveChanged(nil))
    driver.advance(10_000)
    #expect(driver.lines == call + suspend + call + suspend)
    #expect(driver.rules.violations.isEmpty && driver.reports.isEmpty)
  }

  @Test func keepAliveComesInFrontAndInTheBackground() {
    var driver = MachineDriver(modes: "voip,audio")
    driver.happen(.launch)
    driver.send(.keepAliveChanged(700))
    driver.advance(700)
    #expect(driver.lines.last == .call(.keepAlive))
    driver.send(.keepersChanged([.audio]))
    driver.happen(.home)
    driver.forget()
    driver.advance(700)
    #expect(driver.lines == [.call(.keepAlive)] && driver.machine.state == .background)
    // With its end no more comes.
    driver.happen(.terminate)
    driver.happen(.launch)
    driver.forget()
    driver.advance(10_000)
    #expect(driver.lines.isEmpty)
  }

  @Test func callsThatWereMissedAreNotMadeUpFor() {
    var driver = suspended(keepAlive: 600)
    // Nobody looked at the clock meanwhile.
    var machine = driver.machine
    let late = driver.now.advanced(bySeconds: 1900)
    let actions = machine.handle(.timePassed, at: late)
    #expect(actions.count { if case .call(_, .keepAlive) = $0 { true } else { false } } == 1)
    #expect(machine.keepAlive?.next == driver.now.advanced(bySeconds: 2400))
    driver.forget()
  }

  @Test func aHandlerThatTakesTooLongEndsTheApplication() {
    var driver = suspended(keepAlive: 600)
    driver.returnsAtOnce = false
    driver.advance(609.9)
    #expect(driver.reports.isEmpty)
    driver.advance(0.1)
    #expect(driver.reports.first?.code == .watchdog)
    #expect(driver.reports.first?.culprit == .callback(.keepAlive))
    #expect(driver.reports.first?.allowed == 10)
    #expect(driver.rules.violations.isEmpty)
  }
}
