import Testing

@testable import AppLifecycle

@Suite struct MachineRemoteControlTests {
  /// A command that comes just before a suspension is not lost.
  @Test(arguments: [("audio", 5), ("none", 0)] as [(String, Double)])
  func aRemoteControlEventKeepsAnApplicationInTheBackgroundAwake(modes: String, seconds: Double) throws {
    var driver = MachineDriver(modes: modes)
    driver.happen(.launch)
    let begun = driver.begin()
    let task = try #require(begun)
    driver.happen(.home)
    driver.happen(.remoteControl)
    driver.end(task)
    #expect(driver.machine.state == (seconds > 0 ? .background : .suspended))
    driver.advance(max(0, seconds - 0.001))
    #expect(driver.machine.state == (seconds > 0 ? .background : .suspended))
    driver.advance(0.001)
    #expect(driver.machine.state == .suspended)
  }

  @Test func aRemoteControlEventCutsNoOtherWakeUpShort() {
    var driver = MachineDriver(modes: "audio,voip")
    driver.happen(.launch)
    driver.happen(.home)
    driver.happen(.voipData)
    driver.advance(1)
    driver.happen(.remoteControl)
    driver.advance(8.999)
    #expect(driver.machine.state == .background)
    driver.advance(0.001)
    #expect(driver.machine.state == .suspended)
  }
}
