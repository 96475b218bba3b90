import Clocks

@testable import AppLifecycle

/// The rules that any sequence of actions must keep, whoever carries them out.
struct ActionRules: Sendable {
  private(set) var state = ApplicationState.notRunning
  private(set) var isStopped = false
  private(set) var isTerminated = false
  /// Whether what sounds was told of an interruption, and of no end.
  private(set) var isTold = false
  private(set) var violations: [String] = []
  private(set) var count = 0
  private(set) var calls: Set<LifecycleCallback> = []
  private(set) var reports: Set<TerminationReport.Code> = []
  private var lastCall: LifecycleMachine.CallID = 0
  private var scheduled: Set<UInt64> = []
  private var openTasks: Set<UIBackgroundTaskIdentifier> = []
  /// The last call since the state was entered, other than those that may come at any time.
  private var lastCallback: LifecycleCallback?
  private var previous: LifecycleMachine.Action?

  mutating func expect(_ condition: Bool, _ rule: StaticString) {
    guard !condition, violations.count < 5 else { return }
    violations.append("\(rule): action \(count) in \(state) after \(String(describing: previous))")
  }

  mutating func take(_ action: LifecycleMachine.Action) {
    count += 1
    switch action {
    case .note(let event):
      take(event)
      return
    case .report(let report):
      expect(state == .notRunning, "a report on a running application")
      expect(report.took >= report.allowed - 1e-6, "terminated too early")
      reports.insert(report.code)
      return
    case .finished: return
    case .suspend:
      expect(!isStopped && state == .background, "suspended in the wrong state")
      isStopped = true
    case .resume:
      expect(
        isStopped && (state == .background || state == .inactive), "resumed in the wrong state")
      isStopped = false
    case .enter(let next):
      expect(Self.successors(of: state).contains(next), "not the next state")
      expect(next != .suspended || isStopped, "suspended without being stopped")
      expect(next != .notRunning || previous == .terminate, "ended without being terminated")
      state = next
      if next == .notRunning { lastCallback = nil }
    case .call(let id, let callback):
      expect(!isStopped || callback == .willEnterForeground, "call while stopped")
      expect(state != .notRunning, "call without an application")
      expect(id > lastCall, "a call id twice")
      lastCall = id
      expect(Self.states(of: callback).contains(state), "call in the wrong state")
      calls.insert(callback)
      checkOrder(callback)
    case .expire(let id, let task):
      expect(!isStopped && state == .background, "expiration in the wrong state")
      expect(id > lastCall, "a call id twice")
      lastCall = id
      expect(openTasks.contains(task), "expiration of what is not open")
    case .tellSession(let id, _):
      expect(!isStopped && state == .background, "told of a session in the wrong state")
      expect(id > lastCall, "a call id twice")
      lastCall = id
    case .quit: break
    case .launchTask(let id, let task):
      expect(!isStopped && state == .background, "a scheduled task in the wrong state")
      expect(id > lastCall, "a call id twice")
      lastCall = id
      expect(scheduled.insert(task.number).inserted, "a scheduled task twice")
    case .expireTask(let id, let number):
      expect(!isStopped && state == .background, "expiration in the wrong state")
      expect(id > lastCall, "a call id twice")
      lastCall = id
      expect(scheduled.remove(number) != nil, "expiration of what does not run, or a second one")
    case .reachMainQueue(let id):
      expect(state == .background, "suspension in the wrong state")
      lastCall = id
    case .reclaimSockets: expect(state == .suspended && isStopped, "sockets reclaimed of what runs")
    case .enterBackground:
      expect(state == .background && !isStopped, "enterBackground in the wrong state")
    case .enterForeground:
      expect(state == .background || state == .suspended, "enterForeground in front")
    case .expectInterruption: expect(state == .inactive && !isTold, "interruption expected wrongly")
    case .beginInterruption, .endInterruption:
      expect(state != .suspended && state != .notRunning, "interruption while suspended")
      expect(isTold == (action != .beginInterruption), "interruptions out of order")
      isTold = action == .beginInterruption
    case .terminate:
      expect(state != .notRunning, "terminated twice")
      isStopped = false
      isTold = false
      isTerminated = true
      openTasks = []
    case .launch:
      expect(isTerminated && state == .inactive, "launched again without an end")
      isTerminated = false
    }
    previous = action
  }

  /// What the machine says of itself.
  mutating func check(_ machine: LifecycleMachine, at now: HostTime) {
    expect(machine.state == state && machine.isStopped == isStopped, "machine differs")
    expect(Set(machine.tasks.map(\.id)) == openTasks, "a task neither ended nor killed")
    if machine.pending == nil, machine.agenda.isEmpty, state != .suspended {
      expect(
        isTold == (machine.isInterrupted && state != .notRunning), "not told of what interrupts")
      expect(!isStopped, "not resumed")
    }
    let remaining = machine.backgroundTimeRemaining(at: now)
    expect(remaining >= 0, "negative time")
    expect(machine.arrivals.count <= LifecycleMachine.happeningLimit, "too much waits")
    if state == .active || state == .inactive && machine.pending == nil {
      expect(remaining == .greatestFiniteMagnitude, "limited time in front")
    }
    if machine.pending == nil, state == .background {
      expect(!machine.effectiveKeepers.isEmpty, "in the background without a reason")
    }
  }

  private mutating func take(_ event: LifecycleRecord.Event) {
    switch event {
    case .taskBegan(let id, _):
      // In `willEnterForeground` it runs, and is not resumed yet.
      expect(
        state != .notRunning && (!isStopped || lastCallback == .willEnterForeground),
        "a task while stopped")
      openTasks.insert(id)
    case .taskEnded(let id, _): expect(openTasks.remove(id) != nil, "a task ended twice")
    default: break
    }
  }

  private mutating func checkOrder(_ callback: LifecycleCallback) {
    switch callback {
    case .didFinishLaunching: expect(lastCallback == nil, "launched twice")
    case .didBecomeActive:
      expect(
        [.didFinishLaunching, .willEnterForeground, .willResignActive].contains(lastCallback),
        "becomes active out of order")
    case .willResignActive: expect(lastCallback == .didBecomeActive, "resigns without being active")
    case .didEnterBackground:
      expect(
        [.didFinishLaunching, .willResignActive, .willEnterForeground, .didEnterBackground]
          .contains(
            lastCallback),
        "enters the background out of order")
    case .willEnterForeground:
      expect(lastCallback == .didEnterBackground, "comes to the front out of order")
    case .willTerminate: expect(lastCallback != nil, "ended before it began")
    case .didReceiveMemoryWarning, .performFetch, .keepAlive, .backgroundRefreshStatusDidChange:
      return
    }
    lastCallback = callback
  }

  private static func states(of callback: LifecycleCallback) -> Set<ApplicationState> {
    switch callback {
    case .didFinishLaunching, .didBecomeActive: [.inactive]
    case .willResignActive: [.active]
    case .didEnterBackground: [.inactive, .background]
    // Running, but not in another state yet.
    case .willEnterForeground: [.background, .suspended]
    case .backgroundRefreshStatusDidChange: [.active, .inactive, .background]
    case .willTerminate, .didReceiveMemoryWarning, .keepAlive: [.active, .inactive, .background]
    case .performFetch: [.background]
    }
  }

  private static func successors(of state: ApplicationState) -> Set<ApplicationState> {
    switch state {
    case .notRunning: [.inactive]
    case .inactive: [.active, .background, .notRunning]
    case .active: [.inactive, .notRunning]
    case .background: [.suspended, .inactive, .notRunning]
    case .suspended: [.background, .inactive, .notRunning]
    }
  }
}
