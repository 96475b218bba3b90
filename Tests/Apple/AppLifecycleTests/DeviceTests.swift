import Clocks
import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import AppLifecycle

@Suite(.timeLimit(.minutes(10))) struct DeviceTests {
  static let toBackground = [
    "happened home", "call willResignActive", "returned willResignActive", "state inactive",
    "call didEnterBackground", "returned didEnterBackground", "state background",
    "* enterBackground",
  ]
  static let suspend = ["* suspend", "state suspended"]
  static let toForeground = [
    "* enterForeground", "call willEnterForeground", "returned willEnterForeground",
    "state inactive",
    "call didBecomeActive", "returned didBecomeActive", "state active",
  ]

  @Test func onTheMainQueueAPressIsDoneWhenItReturns() {
    let stage = Stage()
    #expect(stage.device.state == .notRunning)
    stage.device.launch()
    #expect(
      stage.diary.lines == [
        "happened launch", "state inactive", "call didFinishLaunching",
        "returned didFinishLaunching",
        "call didBecomeActive", "returned didBecomeActive", "state active",
      ])
    stage.diary.clear()
    stage.device.pressHomeButton()
    #expect(stage.diary.lines == Self.toBackground + Self.suspend)
    #expect(stage.device.state == .suspended)
    stage.diary.clear()
    stage.device.foreground()
    var expected = ["happened foreground"]
    expected += Self.toForeground.prefix(4)
    expected.append("* resume")
    expected += Self.toForeground.dropFirst(4)
    #expect(stage.diary.lines == expected)
    #expect(stage.device.keptRunningBy == .foreground)
  }

  @Test func elsewhereThePressGoesOnInTheMainQueue() {
    let stage = Stage.launched()
    stage.mainQueue.elsewhere { stage.device.pressHomeButton() }
    #expect(stage.diary.lines == Array(Self.toBackground.prefix(2)))
    #expect(stage.device.state == .active)
    stage.clock.runUntilIdle()
    #expect(stage.diary.lines == Self.toBackground + Self.suspend)
  }

  @Test(
    "A suspension begins in the turn of the main queue that it waited for, not on a thread that is busy then")
  func aSuspensionIsTheMainQueues() {
    let stage = Stage.launched(modes: "audio")
    stage.device.setKeeping(.audio, true)
    stage.device.pressHomeButton()
    stage.diary.clear()
    stage.mainQueue.hold()
    stage.mainQueue.elsewhere { stage.device.setKeeping(.audio, false) }
    // Meanwhile another thread carries out a step.
    stage.device.onRecord = { [diary = stage.diary, queue = stage.mainQueue, clock = stage.clock] record in
      diary.note(record)
      guard case .refused = record.event else { return }
      queue.release()
      clock.runUntilIdle()
    }
    stage.mainQueue.elsewhere { stage.device.refuseVoIPSocket(.voipNeedsMode) }
    #expect(stage.diary.lines == ["refused: \(LifecycleRefusal.voipNeedsMode)"])
    stage.clock.runUntilIdle()
    #expect(stage.diary.lines.dropFirst() == Self.suspend[...])
  }

  /// A turn of the main queue that has begun in one life of the application does not launch the next one.
  @Test func aLaunchDuringACallBeginsInATurnOfItsOwn() {
    let stage = Stage.launched()
    let turns = Mutex<(current: Int, ofLaunch: Int?)>((0, nil))
    stage.inCalls { callback in
      if callback == .didEnterBackground {
        stage.device.terminate()
        stage.device.launch()
      } else if callback == .didFinishLaunching {
        turns.withLock { $0.ofLaunch = $0.current }
      }
    }
    stage.mainQueue.elsewhere { stage.device.pressHomeButton() }
    // The queue has the first call of the press, then this, and then the launch.
    stage.mainQueue.enqueue { turns.withLock { $0.current = 1 } }
    stage.clock.runUntilIdle()
    #expect(turns.withLock { $0.ofLaunch } == 1)
    #expect(stage.device.state == .active)
    #expect(stage.diary.calls.suffix(3) == ["willTerminate", "didFinishLaunching", "didBecomeActive"])
  }

  @Test func theAsynchronousFormsReturnWhenAllIsDone() async {
    let stage = Stage.launched(modes: "audio,fetch")
    await stage.device.pressHomeButton()
    #expect(stage.device.state == .suspended)
    await stage.device.foreground()
    await stage.device.lock()
    await stage.device.unlock()
    await stage.device.beginInterruption()
    #expect(stage.device.state == .inactive && stage.device.isInterrupted)
    await stage.device.endInterruption(shouldResume: true)
    await stage.device.sendMemoryWarning()
    await stage.device.performBackgroundFetch()
    await stage.device.wakeForRemoteControl()
    #expect(stage.device.state == .active)
    await stage.device.terminate()
    #expect(stage.device.state == .notRunning)
    await stage.device.launch()
    #expect(stage.device.state == .active)
    #expect(stage.device.lastTermination == nil)
  }

  @Test func withTheModeAudioKeepsItRunningUntilItStops() {
    let stage = Stage.launched(modes: "audio")
    stage.device.setKeeping(.audio, true)
    stage.device.lock()
    #expect(stage.device.state == .background)
    #expect(stage.device.effectiveKeepers == [.audio])
    stage.device.setKeeping(.audio, false)
    // Not on the stack of whoever says so: that is the application's code.
    #expect(stage.device.state == .background)
    stage.clock.runUntilIdle()
    #expect(stage.device.state == .suspended)
    stage.device.setKeeping(.audio, true)
    stage.clock.runUntilIdle()
    #expect(stage.device.state == .suspended)
    stage.device.unlock()
    #expect(stage.device.state == .active)
  }

  @Test func graceBridgesAGap() {
    let stage = Stage.launched(modes: "audio")
    let device = stage.device
    device.setKeeping(.audio, true)
    device.pressHomeButton()
    for _ in 0..<3 {
      device.setKeeping(.audio, false, grace: 5)
      stage.clock.advance(bySeconds: 4.999)
      #expect(device.state == .background)
      device.setKeeping(.audio, true)
      stage.clock.advance(bySeconds: 100)
      #expect(device.state == .background)
    }
    device.setKeeping(.audio, false, grace: 5)
    stage.clock.advance(bySeconds: 3)
    device.setKeeping(.audio, false, grace: 5)
    stage.clock.advance(bySeconds: 1.999)
    #expect(device.state == .background)
    stage.clock.advance(bySeconds: 0.001)
    #expect(device.state == .suspended)
  }

  /// What has been asked for and has not begun yet, as a song that is still to come.
  @Test func graceCountsBeforeTheReasonHolds() {
    let stage = Stage.launched(modes: "audio")
    let device = stage.device
    device.setKeeping(.audio, false, grace: 5)
    device.pressHomeButton()
    stage.clock.advance(bySeconds: 4.999)
    #expect(device.state == .background)
    stage.clock.advance(bySeconds: 0.001)
    #expect(device.state == .suspended)
    // Once: another wait for the same thing is no new one.
    device.foreground()
    device.setKeeping(.audio, false, grace: 30)
    device.pressHomeButton()
    stage.clock.runUntilIdle()
    #expect(device.state == .suspended)
    device.foreground()
    device.setKeeping(.audio, false)
    device.setKeeping(.audio, false, grace: 5)
    device.pressHomeButton()
    #expect(device.state == .background)
  }

  @Test(arguments: [0, -1, .nan]) func noGraceMeansAtOnce(grace: Double) {
    let stage = Stage.launched(modes: "audio")
    stage.device.setKeeping(.audio, true)
    stage.device.pressHomeButton()
    stage.device.setKeeping(.audio, false, grace: 5)
    stage.device.setKeeping(.audio, false, grace: grace)
    stage.clock.runUntilIdle()
    #expect(stage.device.state == .suspended)
  }

  @Test func whatACallAsksForFollowsInOrder() {
    let stage = Stage.launched()
    let device = stage.device
    let isFirst = Atomic(true)
    stage.inCalls { [weak device] callback in
      guard callback == .willResignActive, isFirst.exchange(false, ordering: .relaxed) else {
        return
      }
      device?.foreground()
      #expect(device?.state == .active)
      device?.pressHomeButton()
    }
    device.pressHomeButton()
    #expect(
      stage.diary.calls == [
        "willResignActive", "didEnterBackground", "willEnterForeground", "didBecomeActive",
        "willResignActive",
        "didEnterBackground",
      ])
    #expect(device.state == .suspended)
  }

  @Test func suspendablesComeAndGo() {
    let stage = Stage.launched()
    let late = Diary()
    stage.device.pressHomeButton()
    stage.device.add(late)
    #expect(late.lines == ["* enterBackground", "* suspend"])
    stage.device.foreground()
    #expect(late.lines == ["* enterBackground", "* suspend", "* enterForeground", "* resume"])
    stage.device.remove(late)
    stage.device.pressHomeButton()
    stage.device.terminate()
    #expect(late.lines.count == 4)
    let later = Diary()
    stage.device.add(later)
    stage.device.launch()
    #expect(later.lines == ["* terminate", "* launch"])
    // While it runs in the background.
    _ = stage.device.beginTask(nil, handler: nil)
    stage.device.pressHomeButton()
    let last = Diary()
    stage.device.add(last)
    #expect(last.lines == ["* enterBackground"])
    stage.device.foreground()
    let front = Diary()
    stage.device.add(front)
    #expect(front.lines == [])
  }

  @Test func whatResumesSeesWhereItIs() {
    final class Looker: Suspendable {
      let device: Device
      let seen = Mutex<[ApplicationState]>([])
      init(_ device: Device) { self.device = device }
      func suspend() { seen.withLock { $0.append(device.state) } }
      func resume() { seen.withLock { $0.append(device.state) } }
    }
    let stage = Stage.launched(modes: "audio")
    let looker = Looker(stage.device)
    stage.device.add(looker)
    stage.device.pressHomeButton()
    stage.device.wakeForRemoteControl()
    stage.clock.advance(bySeconds: 10)
    stage.device.foreground()
    #expect(looker.seen.withLock { $0 } == [.background, .background, .background, .inactive])
    stage.device.remove(looker)
  }

  @Test func isFreedWithItsWorker() {
    weak var freed: Device?
    let clock: VirtualClock
    do {
      let stage = Stage.launched()
      stage.inCalls { _ in }
      clock = stage.clock
      freed = stage.device
    }
    #expect(freed == nil)
    clock.advance(bySeconds: 1)
  }

  // MARK: The watchdog

  @Test func sixSecondsInDidEnterBackgroundEndIt() {
    let stage = Stage.launched()
    let reports = Mutex<[TerminationReport]>([])
    stage.device.onTermination = { report in reports.withLock { $0.append(report) } }
    stage.inCalls { [clock = stage.clock, weak device = stage.device] callback in
      guard callback == .didEnterBackground else { return }
      clock.advance(bySeconds: 4.999)
      #expect(device?.state == .inactive)
      clock.advance(bySeconds: 1.001)
      #expect(device?.state == .notRunning)
    }
    stage.device.pressHomeButton()
    #expect(
      stage.diary.lines.suffix(3) == ["* terminate", "state notRunning", "terminated: 0x8badf00d"])
    #expect(stage.device.lastTermination?.culprit == .callback(.didEnterBackground))
    #expect(stage.device.lastTermination.map { [$0] } == reports.withLock { $0 })
    #expect(stage.device.lastTermination?.time == HostTime(nanoseconds: 5_000_000_000))
  }

  @Test func aLaunchComesBehindTheCallThatHangs() {
    let stage = Stage.launched()
    stage.inCalls { [clock = stage.clock, weak device = stage.device] callback in
      guard callback == .didEnterBackground else { return }
      clock.advance(bySeconds: 6)
      device?.launch()
      #expect(device?.state == .inactive)
    }
    stage.device.pressHomeButton()
    #expect(
      stage.diary.lines.suffix(4) == [
        "happened launch", "state inactive", "* launch", "call didFinishLaunching",
      ])
    stage.inCalls { _ in }
    stage.clock.runUntilIdle()
    #expect(stage.device.state == .active)
  }

  @Test func aHandlerInTheMainQueueThatTakesTimeIsWatchedToo() {
    let stage = Stage.launched()
    let id = stage.device.beginTask("upload") { [clock = stage.clock] in clock.advance(bySeconds: 6)
    }
    #expect(id != .invalid)
    stage.device.pressHomeButton()
    stage.clock.advance(bySeconds: 200)
    #expect(stage.device.lastTermination?.code == .watchdog)
    #expect(stage.device.lastTermination?.reason.contains("\"upload\"") == true)
    #expect(stage.device.state == .notRunning)
    stage.device.endTask(id)
    #expect(
      stage.diary.lines.last == "refused: there is no background task \(id.rawValue), or no longer")
  }

  /// On real threads: the main queue hangs, and is terminated, suspended and launched again around that.
  @Test func aBlockedMainQueueHoldsNothingUp() async {
    final class Queue: DeliveryQueue {
      static let key = DispatchSpecificKey<Void>()
      let queue = DispatchQueue(label: "main")
      init() { queue.setSpecific(key: Self.key, value: ()) }
      func enqueue(_ work: QueuedWork) { queue.async { work.run() } }
    }
    let queue = Queue()
    var settings = LifecycleSettings()
    settings.callLimit = 0.2
    settings.suspensionLimit = 0.2
    // Only the test lets time pass.
    let clock = VirtualClock()
    let device = Device(
      modes: BackgroundModes(), clock: clock, mainQueue: queue,
      isOnMainQueue: { DispatchQueue.getSpecific(key: Queue.key) != nil }, settings: settings)
    let diary = Diary()
    device.onRecord = { diary.note($0) }
    device.add(diary)
    let gate = DispatchSemaphore(value: 0)
    await device.launch()
    // Suspension: the application's code on the main queue does not come to its end.
    let task = device.beginTask(nil, handler: nil)
    await device.pressHomeButton()
    #expect(device.state == .background)
    // A turn of the queue that has not ended would go before it.
    await withCheckedContinuation { isBlocked in
      queue.enqueue {
        isBlocked.resume()
        gate.wait()
      }
    }
    device.endTask(task)
    let wakeWithoutWaiting = { device.wakeForRemoteControl() }
    wakeWithoutWaiting()
    #expect(device.state == .background)
    clock.advance(bySeconds: 0.2)
    #expect(device.state == .suspended)
    gate.signal()
    // Termination: a call does not return.
    await device.foreground()
    let application = ScriptedApplication {
      guard $0 == .didEnterBackground else { return }
      clock.advance(bySeconds: 0.2)
      gate.wait()
    }
    device.shared.withLock { $0.application = application }
    await device.pressHomeButton()
    #expect(device.state == .notRunning, "\(diary.lines)")
    #expect(device.lastTermination?.culprit == .callback(.didEnterBackground))
    let launchWithoutWaiting = { device.launch() }
    launchWithoutWaiting()
    gate.signal()
    device.shared.withLock { $0.application = nil }
    await device.lock()
    #expect(
      diary.calls.suffix(4) == [
        "didFinishLaunching", "didBecomeActive", "willResignActive", "didEnterBackground",
      ])
    #expect(device.state == .suspended)
  }

  /// Many threads push at once: the doings still keep every rule, none is lost, and each is done.
  @Test func manyThreadsKeepTheRules() {
    let stage = Stage.launched(modes: "audio,fetch")
    let device = stage.device
    let inside = Atomic(0)
    let clashes = Atomic(0)
    let count = Atomic(0)
    final class Checker: Suspendable {
      let check: @Sendable () -> Void
      let isStopped = Atomic(false)
      let wrong = Atomic(0)
      init(_ check: @escaping @Sendable () -> Void) { self.check = check }
      func suspend() {
        check()
        if isStopped.exchange(true, ordering: .relaxed) { wrong.add(1, ordering: .relaxed) }
      }
      func resume() {
        check()
        if !isStopped.exchange(false, ordering: .relaxed) { wrong.add(1, ordering: .relaxed) }
      }
      func terminate() {
        check()
        isStopped.store(false, ordering: .relaxed)
      }
    }
    let check: @Sendable () -> Void = {
      if inside.add(1, ordering: .sequentiallyConsistent).oldValue != 0 {
        clashes.add(1, ordering: .relaxed)
      }
      count.add(1, ordering: .relaxed)
      inside.subtract(1, ordering: .sequentiallyConsistent)
    }
    let checker = Checker(check)
    device.onStateChange = { _ in check() }
    device.onRecord = { _ in check() }
    device.add(checker)
    DispatchQueue.concurrentPerform(iterations: 8) { index in
      var random = RandomSource(seed: UInt64(index))
      for _ in 0..<1000 {
        switch random.next() % 11 {
        case 0: device.launch()
        case 1: device.pressHomeButton()
        case 2: device.foreground()
        case 3: device.lock()
        case 4: device.unlock()
        case 5: if random.next() % 8 == 0 { device.terminate() }
        case 6: device.setKeeping(.audio, random.next() % 2 == 0, grace: 0)
        case 7: device.wakeForRemoteControl()
        case 8: device.endTask(device.beginTask("x", handler: {}))
        case 9: device.beginInterruption()
        default: device.endInterruption(shouldResume: true)
        }
      }
    }
    stage.clock.runUntilIdle()
    device.setKeeping(.audio, false)
    // A command keeps it awake for some seconds.
    stage.clock.advance(bySeconds: device.settings.wakeGrace)
    #expect(clashes.load(ordering: .relaxed) == 0)
    #expect(checker.wrong.load(ordering: .relaxed) == 0)
    #expect(count.load(ordering: .relaxed) > 1000)
    #expect(device.openTasks.isEmpty)
    #expect(device.state != .background)
    #expect(
      device.shared.withLock { $0.waiters.isEmpty && $0.steps.isEmpty && $0.handlers.isEmpty })
  }

  // MARK: Virtual time

  /// 180 s of background time with the expiration at 175 s: the same every time, and in no time.
  @Test func aThousandRunsAreTheSame() {
    func run() -> [LifecycleRecord] {
      let stage = Stage.launched()
      let task = Mutex(UIBackgroundTaskIdentifier.invalid)
      let device = stage.device
      let id = device.beginTask("upload") { [clock = stage.clock, weak device] in
        clock.advance(bySeconds: 1)
        device?.endTask(task.withLock { $0 })
      }
      task.withLock { $0 = id }
      device.pressHomeButton()
      stage.clock.advance(bySeconds: 180)
      // Identifiers are never used again: the only difference between two runs.
      return stage.diary.records.map { record in
        var record = record
        switch record.event {
        case .taskBegan(_, let name): record.event = .taskBegan(.invalid, name: name)
        case .taskEnded(_, let name): record.event = .taskEnded(.invalid, name: name)
        case .expirationBegan(_, let name): record.event = .expirationBegan(.invalid, name: name)
        case .expirationEnded(_, let name): record.event = .expirationEnded(.invalid, name: name)
        default: break
        }
        return record
      }
    }
    let first = run()
    #expect(
      first.map(\.description) == [
        "0.000 task 0 \"upload\" begun", "0.000 happened home", "0.000 call willResignActive",
        "0.000 returned willResignActive", "0.000 state inactive", "0.000 call didEnterBackground",
        "0.000 returned didEnterBackground", "0.000 state background",
        "175.000 task 0 \"upload\" expires",
        "176.000 task 0 \"upload\" ended", "176.000 task 0 \"upload\" has expired",
        "176.000 state suspended",
      ])
    let start = SystemClock.shared.now
    for _ in 0..<1000 { #expect(run() == first) }
    let seconds = SystemClock.shared.now.seconds(since: start) / 1000
    print("180 s of background time take \(seconds * 1000) ms")
    #expect(seconds < 1)
  }

  @Test func aHandlerWhosePlaceAnotherTakesMayOwnWhatUsesTheDeviceWhenItEnds() {
    let device = Stage().device
    let ends = Mutex(0)
    func handler() -> @Sendable () -> Void {
      let owned = Owned {
        _ = device.state
        ends.withLock { $0 += 1 }
      }
      return { withExtendedLifetime(owned) {} }
    }
    do {
      let (onState, onRecord, onTermination) = (handler(), handler(), handler())
      device.onStateChange = { _ in onState() }
      device.onRecord = { _ in onRecord() }
      device.onTermination = { _ in onTermination() }
    }
    device.onStateChange = nil
    device.onRecord = nil
    device.onTermination = nil
    #expect(ends.withLock { $0 } == 3)
  }
}

/// Calls a body when it ends.
private final class Owned: Sendable {
  private let body: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  deinit { body() }
}
