import Clocks
import Synchronization
import TestSupport
import Testing

@testable import AppLifecycle

/// When the sockets of an application are reclaimed.
@Suite(.timeLimit(.minutes(10))) struct SocketReclaimTests {
  private static let record =
    "sockets reclaimed: 127.0.0.1:8000 listening"

  /// A launched application that has a socket whenever it runs.
  private static func stage(_ reclaim: SocketReclaim, modes: String = "none") -> Stage {
    var settings = LifecycleSettings()
    settings.socketReclaim = reclaim
    let stage = Stage(
      modes: modes, settings: settings,
      reclaimSockets: { [ReclaimedSocket(address: "127.0.0.1:8000", use: .listening)] })
    stage.device.launch()
    stage.diary.clear()
    return stage
  }

  @Test func byDefaultTheyStay() {
    #expect(LifecycleSettings().socketReclaim == .never)
    let stage = Self.stage(.never)
    stage.device.pressHomeButton()
    stage.device.lock()
    #expect(!stage.diary.lines.contains(Self.record))
  }

  @Test func theyGoWithTheSuspensionAndWithEachOne() {
    let stage = Self.stage(.whenSuspended)
    stage.device.pressHomeButton()
    #expect(stage.diary.lines.suffix(3) == ["* suspend", "state suspended", Self.record])
    stage.device.lock()
    stage.device.foreground()
    stage.device.lock()
    #expect(stage.diary.lines.count { $0 == Self.record } == 2)
  }

  @Test func theyGoWithTheLockOfASuspendedApplication() {
    let stage = Self.stage(.whenLocked)
    stage.device.pressHomeButton()
    #expect(!stage.diary.lines.contains(Self.record))
    stage.diary.clear()
    stage.device.lock()
    #expect(stage.diary.lines == ["happened lock", Self.record])
    stage.device.lock()
    stage.device.unlock()
    #expect(stage.diary.lines.count { $0 == Self.record } == 1)
    stage.device.lock()
    #expect(stage.diary.lines.count { $0 == Self.record } == 2)
  }

  @Test func theyGoWithTheSuspensionBehindALockedScreen() {
    let stage = Self.stage(.whenLocked)
    stage.device.lock()
    #expect(stage.diary.lines.suffix(3) == ["* suspend", "state suspended", Self.record])
  }

  /// T13: what is not suspended keeps them.
  @Test(arguments: [SocketReclaim.whenLocked, .whenSuspended])
  func whatRunsKeepsThem(reclaim: SocketReclaim) {
    let stage = Self.stage(reclaim, modes: "audio")
    stage.device.setKeeping(.audio, true)
    stage.device.lock()
    #expect(stage.device.state == .background)
    #expect(!stage.diary.lines.contains(Self.record))
    stage.device.setKeeping(.audio, false)
    stage.clock.runUntilIdle()
    #expect(stage.diary.lines.suffix(2) == ["state suspended", Self.record])
  }

  @Test func aWokenApplicationLosesThemAgain() {
    let stage = Self.stage(.whenSuspended, modes: "fetch")
    stage.device.handle(.fetchIntervalChanged(0), as: .application)
    stage.device.pressHomeButton()
    stage.device.performBackgroundFetch()
    stage.clock.runUntilIdle()
    #expect(stage.device.state == .suspended)
    #expect(stage.diary.lines.count { $0 == Self.record } == 2)
  }

  /// T11: tasks in front have no effect there.
  @Test func tasksInFrontChangeNothing() {
    let stage = Self.stage(.whenSuspended)
    for _ in 0..<100 {
      let task = stage.device.beginTask("Transfer", handler: {})
      #expect(task != .invalid)
      #expect(stage.device.backgroundTimeRemaining == .greatestFiniteMagnitude)
      // Longer than a task may take in the background.
      stage.clock.advance(bySeconds: 200)
      stage.device.endTask(task)
    }
    #expect(stage.device.state == .active && stage.device.openTasks.isEmpty)
    #expect(stage.diary.states.isEmpty)
    stage.device.pressHomeButton()
    #expect(stage.device.backgroundTimeRemaining == LifecycleSettings().backgroundTime)
  }
}
