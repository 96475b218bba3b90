import AppLifecycle
import AudioCore
import Dispatch
import Synchronization
import Testing

/// Writes down all that a device does, in order.
final class Diary: Suspendable {
  private let entries = Mutex<[LifecycleMachine.Action]>([])
  var actions: [LifecycleMachine.Action] { entries.withLock { $0 } }
  var states: [ApplicationState] {
    actions.compactMap { if case .enter(let state) = $0 { state } else { nil } }
  }

  func note(_ action: LifecycleMachine.Action) { entries.withLock { $0.append(action) } }
  func suspend() { note(.suspend) }
  func resume() { note(.resume) }
  func clear() { entries.withLock { $0 = [] } }
}

@Suite(.timeLimit(.minutes(10))) struct DeviceTests {
  let clock = ManualClock()

  /// A launched device whose doings the diary has from then on.
  func launched(modes: BackgroundModes) -> (Device, Diary) {
    let device = Device(modes: modes, clock: clock)
    let diary = Diary()
    device.onStateChange = { diary.note(.enter($0)) }
    device.onCallback = { diary.note(.call($0)) }
    device.add(diary)
    device.launch()
    diary.clear()
    return (device, diary)
  }

  @Test func launches() {
    let device = Device(modes: BackgroundModes(), clock: clock)
    let diary = Diary()
    device.onStateChange = { diary.note(.enter($0)) }
    device.onCallback = { diary.note(.call($0)) }
    device.add(diary)
    #expect(device.state == .notRunning)
    device.launch()
    #expect(diary.actions == LifecycleMachineTests.launch)
    #expect(device.state == .active)
    device.launch()
    #expect(diary.actions.count == 4)
  }

  @Test func withoutModeTheHomeButtonSuspends() {
    let (device, diary) = launched(modes: BackgroundModes())
    device.setKeeping(.audio, true)
    device.pressHomeButton()
    #expect(diary.actions == LifecycleMachineTests.toBackground + LifecycleMachineTests.suspend)
    #expect(device.state == .suspended)
    diary.clear()
    device.foreground()
    #expect(diary.actions == [.resume] + LifecycleMachineTests.toForeground)
    #expect(device.state == .active)
  }

  @Test func withTheModeAudioKeepsItRunningUntilItStops() {
    let (device, diary) = launched(modes: BackgroundModes([.audio]))
    device.setKeeping(.audio, true)
    device.lock()
    #expect(diary.actions == LifecycleMachineTests.toBackground)
    #expect(device.effectiveKeepers == [.audio])
    diary.clear()
    device.setKeeping(.audio, false)
    #expect(diary.actions == LifecycleMachineTests.suspend)
    diary.clear()
    device.setKeeping(.audio, true)
    #expect(diary.actions.isEmpty)
    device.unlock()
    #expect(device.state == .active)
  }

  @Test func graceBridgesAGap() {
    let (device, diary) = launched(modes: BackgroundModes([.audio]))
    device.setKeeping(.audio, true)
    device.pressHomeButton()
    for _ in 0..<3 {
      device.setKeeping(.audio, false, grace: 5)
      clock.advance(bySeconds: 4.999)
      #expect(device.state == .background)
      device.setKeeping(.audio, true)
      clock.advance(bySeconds: 100)
      #expect(device.state == .background)
    }
    device.setKeeping(.audio, false, grace: 5)
    clock.advance(bySeconds: 3)
    device.setKeeping(.audio, false, grace: 5)
    clock.advance(bySeconds: 1.999)
    #expect(device.state == .background)
    clock.advance(bySeconds: 0.001)
    #expect(device.state == .suspended)
    #expect(diary.states == [.inactive, .background, .suspended])
  }

  @Test func aLockScreensControlsWakeWhatMayPlayInTheBackground() {
    let (device, diary) = launched(modes: BackgroundModes([.audio]))
    device.pressHomeButton()
    #expect(device.state == .suspended)
    diary.clear()
    device.wakeForRemoteControl()
    #expect(diary.actions == [.resume, .enter(.background)])
    clock.advance(bySeconds: 4.999)
    #expect(device.state == .background)
    clock.advance(bySeconds: 0.001)
    #expect(device.state == .suspended)
    device.wakeForRemoteControl()
    device.setKeeping(.audio, true)
    clock.advance(bySeconds: 100)
    #expect(device.state == .background)

    let (silent, _) = launched(modes: BackgroundModes([]))
    silent.pressHomeButton()
    silent.wakeForRemoteControl()
    #expect(silent.state == .suspended)
  }

  @Test(arguments: [0, -1, .nan]) func noGraceMeansAtOnce(grace: Double) {
    let (device, _) = launched(modes: BackgroundModes([.audio]))
    device.setKeeping(.audio, true)
    device.pressHomeButton()
    device.setKeeping(.audio, false, grace: 5)
    device.setKeeping(.audio, false, grace: grace)
    #expect(device.state == .suspended)
  }

  @Test func graceDoesNotBeginWhatDoesNotHold() {
    let (device, _) = launched(modes: BackgroundModes([.audio]))
    device.setKeeping(.audio, false, grace: 5)
    device.pressHomeButton()
    #expect(device.state == .suspended)
  }

  @Test func aTaskBegunInDidEnterBackgroundComesInTime() {
    let (device, diary) = launched(modes: BackgroundModes())
    device.onCallback = { [weak device] callback in
      diary.note(.call(callback))
      if callback == .didEnterBackground { device?.setKeeping(.task, true) }
    }
    device.pressHomeButton()
    #expect(diary.actions == LifecycleMachineTests.toBackground)
    device.setKeeping(.task, false)
    #expect(device.state == .suspended)
  }

  @Test func whatACallbackAsksForFollowsInOrder() {
    let (device, diary) = launched(modes: BackgroundModes())
    device.onCallback = { [weak device] callback in
      diary.note(.call(callback))
      guard callback == .willResignActive else { return }
      device?.foreground()
      #expect(device?.state == .active)
      device?.onCallback = { diary.note(.call($0)) }
      device?.pressHomeButton()
    }
    device.pressHomeButton()
    #expect(
      diary.actions == LifecycleMachineTests.toBackground + LifecycleMachineTests.toForeground
        + LifecycleMachineTests.toBackground + LifecycleMachineTests.suspend)
  }

  @Test func suspendablesComeAndGo() {
    let (device, diary) = launched(modes: BackgroundModes())
    let late = Diary()
    device.pressHomeButton()
    device.add(late)
    #expect(late.actions == [.suspend])
    device.foreground()
    #expect(late.actions == [.suspend, .resume])
    device.remove(late)
    device.pressHomeButton()
    #expect(late.actions == [.suspend, .resume])
    #expect(diary.actions.last == .enter(.suspended))
  }

  @Test func terminatesAndLaunchesAgain() {
    let (device, diary) = launched(modes: BackgroundModes())
    device.terminate()
    #expect(diary.actions == LifecycleMachineTests.end)
    #expect(device.state == .notRunning)
    diary.clear()
    device.launch()
    #expect(diary.actions == LifecycleMachineTests.relaunch)
    device.pressHomeButton()
    diary.clear()
    device.terminate()
    #expect(diary.actions == [.enter(.notRunning)])
  }

  @Test func whatResumesSeesTheBackground() {
    final class Looker: Suspendable {
      let device: Device
      let seen = Mutex<[ApplicationState]>([])
      init(_ device: Device) { self.device = device }
      func suspend() { seen.withLock { $0.append(device.state) } }
      func resume() { seen.withLock { $0.append(device.state) } }
    }
    let (device, _) = launched(modes: BackgroundModes())
    let looker = Looker(device)
    device.add(looker)
    device.pressHomeButton()
    device.foreground()
    #expect(looker.seen.withLock { $0 } == [.background, .background])
    device.remove(looker)
  }

  @Test func isFreedWithItsWorker() {
    weak var freed: Device?
    do {
      let (device, _) = launched(modes: BackgroundModes())
      freed = device
    }
    #expect(freed == nil)
    clock.advance(bySeconds: 1)
  }

  /// Many threads push at once: the doings still keep every rule, none is lost, and each is done.
  @Test func manyThreadsKeepTheRules() {
    let device = Device(modes: BackgroundModes([.audio]), clock: clock)
    let rules = Mutex(ActionRules())
    let inside = Atomic(0)
    let check: @Sendable (LifecycleMachine.Action) -> Void = { action in
      let others = inside.add(1, ordering: .sequentiallyConsistent).oldValue
      rules.withLock { rules in
        rules.expect(others == 0, "two at the same time")
        rules.take(action)
      }
      inside.subtract(1, ordering: .sequentiallyConsistent)
    }
    final class Checker: Suspendable {
      let check: @Sendable (LifecycleMachine.Action) -> Void
      init(_ check: @escaping @Sendable (LifecycleMachine.Action) -> Void) { self.check = check }
      func suspend() { check(.suspend) }
      func resume() { check(.resume) }
    }
    device.onStateChange = { check(.enter($0)) }
    device.onCallback = { [weak device] callback in
      check(.call(callback))
      if callback == .didBecomeActive { device?.setKeeping(.audio, true) }
    }
    device.add(Checker(check))
    DispatchQueue.concurrentPerform(iterations: 8) { index in
      var random = Random(seed: UInt64(index))
      for _ in 0..<2000 {
        switch LifecycleMachineTests.randomEvent(&random) {
        case .launch: device.launch()
        case .home: device.pressHomeButton()
        case .foreground: device.foreground()
        case .lock: device.lock()
        case .unlock: device.unlock()
        case .terminate: device.terminate()
        case .keepersChanged(let keepers): device.setKeeping(.audio, keepers.contains(.audio), grace: 0)
        case .remoteControl: device.wakeForRemoteControl()
        case .settled: _ = device.state
        }
      }
    }
    // Whoever was carrying transitions out has returned, so all are done.
    let (violations, state, count) = rules.withLock { ($0.violations, $0.state, $0.count) }
    #expect(violations.isEmpty)
    #expect(state == device.state)
    #expect(count > 1000)
  }
}
