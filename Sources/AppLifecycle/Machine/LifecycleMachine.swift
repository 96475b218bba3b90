package import HostTime

/// The life cycle of one application as a value: it takes events and returns the actions to carry out, in
/// order.
///
/// It knows nothing of threads, clocks and audio: every event comes with its time. `Device` is its host. The
/// order of callbacks and states is that of Apple's documentation ("Managing your app's life cycle", "About
/// the background execution sequence").
///
/// A call into the application takes time. The machine goes on with the next step only after
/// `Event.callReturned`. Happenings queue up meanwhile; all other events (tasks, keepers, time) are handled
/// at once. A call that exceeds its limit ends the application.
package struct LifecycleMachine: Hashable, Sendable {
  /// The application's state once all actions so far are carried out.
  package internal(set) var state: ApplicationState
  /// The application's background modes.
  package let modes: BackgroundModes
  /// The rules for the application.
  package let settings: LifecycleSettings
  /// Whether the screen is locked.
  package internal(set) var isLocked = false
  /// Whether the application is suspended: the latest of the actions `suspend`, `resume` and `terminate` was
  /// `suspend`. Still true during `willEnterForeground`, since `resume` comes after that call.
  package internal(set) var isStopped = false
  /// Whether there is an interruption, a phone call for example, also if the application was not told of it.
  package internal(set) var isInterrupted = false
  /// The background tasks that are open, in the order of their beginning.
  package internal(set) var tasks: [BackgroundTask] = []
  /// The report on the latest termination; nil if there was none, or if it was not for a fault.
  package internal(set) var lastReport: TerminationReport?
  /// Whether the application may be woken for fetches.
  package internal(set) var refreshStatus = UIBackgroundRefreshStatus.available

  /// How many happenings can wait while a call has not returned; further ones are refused. Nobody presses so
  /// many buttons in the 30 s that the longest call may take.
  package static let happeningLimit = 1000
  /// How many tasks can be open; further ones are refused, so that a program that never ends them cannot grow
  /// without bound.
  package static let taskLimit = 1000

  /// A step of what follows from a happening. All steps of one happening are done before the next happening
  /// is taken.
  enum Step: Hashable, Sendable {
    case action(Action)
    case enter(ApplicationState)
    case call(LifecycleCallback)
    case launchTask(ScheduledTaskRequest)
    case tellSession(String)
    case beginInterruption
    case endInterruption(shouldResume: Bool)
    case end
  }

  /// A call whose return the machine waits for.
  struct Pending: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
      case callback(LifecycleCallback)
      case expiration(BackgroundTask)
      case taskLaunch(ScheduledTask)
      case sessionEvents(String)
      case taskExpiration(ScheduledTask)
      case mainQueue
    }
    let id: CallID
    let kind: Kind
    let since: HostTime
    let limit: Double
    var deadline: HostTime { since.advanced(bySeconds: limit) }
  }

  /// A fetch that was not completed.
  struct Fetch: Hashable, Sendable {
    let id: CallID
    let since: HostTime
  }

  /// The calls that keep a connection alive.
  struct KeepAlive: Hashable, Sendable {
    let interval: Double
    var next: HostTime
  }

  /// A happening that waits to be taken.
  struct Arrival: Hashable, Sendable {
    let happening: LifecycleHappening
    let token: UInt64?
  }

  /// The latest moment seen; time never goes back.
  var now = HostTime(nanoseconds: .min)
  var agenda: [Step] = []
  var arrivals: [Arrival] = []
  /// The tokens of happenings that were taken and are not yet finished.
  var unfinished: [UInt64] = []
  var pending: Pending?
  var lastCallID: CallID = 0
  /// The actions that follow from the event that is being handled.
  var actions: [Action] = []

  /// The reasons reported to keep the application running that its modes allow.
  var kept: Set<BackgroundKeeper> = []
  /// Until when a woken application counts as doing what it was woken for; nil if it does not.
  var awakeUntil: HostTime?
  /// What it was woken for.
  var awakeFor = BackgroundKeeper.audio
  /// Until when a task that the suspended application begins takes the suspension back; nil if none does.
  var graceEnd: HostTime?
  var fetch: Fetch?
  /// The background sessions whose events the application handles, by the call that told it.
  var sessionEvents: [CallID: SessionEvents] = [:]
  var fetchInterval = Double.infinity
  var keepAlive: KeepAlive?
  /// The identifiers of tasks for which the application has registered a handler, and whether it may register more: until
  /// it was launched.
  var registeredTasks: Set<String> = []
  var mayRegisterTasks = true
  /// The requests that wait, in the order in which they were made. They outlive the application.
  package internal(set) var taskRequests: [ScheduledTaskRequest] = []
  /// The tasks of the scheduler that run.
  var scheduledTasks: [ScheduledTask] = []
  var lastTaskNumber: UInt64 = 0
  var budget: BackgroundBudget
  /// Whether the expiration handlers have been called in the present run of the budget.
  var hasWarned = false
  /// Whether the application is in the background; true from the call of `didEnterBackground` on.
  var isInBackground = false
  var returnsOnUnlock = false
  /// Whether the application was told of an interruption and not yet of its end. Differs from `isInterrupted`
  /// only while the application is suspended or not running; in the latter case it is false.
  var knowsInterruption = false
  /// The `shouldResume` of an end that came during the suspension and is told on resumption; nil if there is
  /// none.
  var missedEnd: Bool?
  var missedRefreshChange = false
  var wasTerminated = false

  /// An application that was never launched or, with `isActive`, one that has been in front for ever.
  package init(
    modes: BackgroundModes, settings: LifecycleSettings = LifecycleSettings(),
    isActive: Bool = false
  ) {
    state = isActive ? .active : .notRunning
    self.modes = modes
    self.settings = settings
    budget = BackgroundBudget(settings: settings)
  }

  /// Handles an event at `moment` and returns the actions to carry out, in order. An event that does not
  /// apply to the present state changes nothing. Deadlines up to `moment` are handled before the event, so a
  /// call that returns after its limit is too late. A moment earlier than the previous event's counts as the
  /// previous event's.
  package mutating func handle(_ event: Event, at moment: HostTime) -> [Action] {
    now = max(now, moment)
    checkTime()
    take(event)
    if pending?.kind == .mainQueue, !mayBeSuspended { pending = nil }
    pump()
    defer { actions = [] }
    return actions
  }

  /// The state that the application's own code sees. As on Apple's systems it is `active` during
  /// `didBecomeActive` and `background` during `didEnterBackground`, and never `suspended` or `notRunning`.
  package var stateSeenByApplication: ApplicationState {
    switch pending?.kind {
    case .callback(.didBecomeActive): .active
    case .callback(.didEnterBackground): .background
    default: state.seenByApplication
    }
  }

  private mutating func take(_ event: Event) {
    switch event {
    case .happened(let happening, let token): arrive(Arrival(happening: happening, token: token))
    case .keepersChanged(let keepers):
      kept = keepers.filter { $0.mode.map(modes.contains) ?? false }
      if kept.contains(awakeFor) { awakeUntil = nil }
      updateBudget()
    case .taskBegan(let id, let name, let hasHandler): beginTask(id, name, hasHandler)
    case .taskEnded(let id): endTask(id)
    case .sessionEventsCompleted(let id): completeSessionEvents(id)
    case .fetchCompleted(let id, let result): completeFetch(id, result)
    case .fetchIntervalChanged(let interval): fetchInterval = interval
    case .keepAliveChanged(let interval): changeKeepAlive(interval)
    case .mayHaveLeftWork:
      if isInBackground { graceEnd = now.advanced(bySeconds: settings.suspensionGrace) }
    case .scheduledTaskCompleted(let number, let success): completeScheduledTask(number, success)
    case .expirationHandlerChanged(let number, let hasHandler):
      setExpirationHandler(number, hasHandler)
    case .callReturned(let id): returned(id)
    case .timePassed: break
    case .settled: settle()
    }
  }

  mutating func arrive(_ arrival: Arrival) {
    note(.happened(arrival.happening))
    guard arrivals.count < Self.happeningLimit else {
      note(.refused(.tooMuchWaits(arrival.happening)))
      if let token = arrival.token { actions.append(.finished(token: token)) }
      return
    }
    arrivals.append(arrival)
  }

  /// Takes steps and happenings until a call is pending or nothing is left.
  private mutating func pump() {
    while pending == nil {
      if !agenda.isEmpty {
        run(agenda.removeFirst())
      } else if !arrivals.isEmpty {
        let arrival = arrivals.removeFirst()
        if let token = arrival.token { unfinished.append(token) }
        agenda = steps(for: arrival.happening)
      } else if let index = nextToExpire {
        tasks[index].isExpired = true
        let task = tasks[index]
        note(.expirationBegan(task.id, name: task.name))
        wait(for: .expiration(task), limit: settings.callLimit) { .expire($0, task.id) }
      } else if let index = nextScheduledToExpire {
        expireScheduledTask(at: index)
      } else {
        return
      }
    }
  }

  mutating func run(_ step: Step) {
    switch step {
    case .action(let action):
      if action == .resume { isStopped = false }
      actions.append(action)
    case .enter(let next): enter(next)
    case .call(let callback): call(callback)
    case .launchTask(let request): launchTask(request)
    case .tellSession(let session): tellSession(session)
    case .beginInterruption:
      knowsInterruption = true
      note(.interruptionBegan)
      actions.append(.beginInterruption)
    case .endInterruption(let shouldResume):
      knowsInterruption = false
      missedEnd = nil
      note(.interruptionEnded(shouldResume: shouldResume))
      actions.append(.endInterruption(shouldResume: shouldResume))
    case .end: end(nil)
    }
    updateBudget()
  }

  private mutating func call(_ callback: LifecycleCallback) {
    let limit: Double
    switch callback {
    case .didFinishLaunching, .didBecomeActive, .willEnterForeground:
      limit = settings.foregroundCallLimit
    case .performFetch: limit = settings.fetchLimit
    case .keepAlive: limit = settings.voipTime
    case .willResignActive, .didEnterBackground, .willTerminate, .didReceiveMemoryWarning,
      .backgroundRefreshStatusDidChange:
      limit = settings.callLimit
    }
    note(.callBegan(callback))
    wait(for: .callback(callback), limit: limit) { .call($0, callback) }
    if callback == .didEnterBackground { isInBackground = true }
    if callback == .performFetch { fetch = Fetch(id: lastCallID, since: now) }
  }

  mutating func wait(for kind: Pending.Kind, limit: Double, _ action: (CallID) -> Action) {
    lastCallID += 1
    pending = Pending(id: lastCallID, kind: kind, since: now, limit: limit)
    actions.append(action(lastCallID))
  }

  private mutating func returned(_ id: CallID) {
    guard let pending, pending.id == id else { return }
    self.pending = nil
    switch pending.kind {
    case .callback(let callback):
      note(.callEnded(callback))
      if callback == .didFinishLaunching { mayRegisterTasks = false }
    case .expiration(let task): note(.expirationEnded(task.id, name: task.name))
    case .taskLaunch, .taskExpiration, .sessionEvents: break
    case .mainQueue: if mayBeSuspended { stop() }
    }
  }

  private mutating func settle() {
    guard pending == nil, agenda.isEmpty, arrivals.isEmpty, nextToExpire == nil,
      nextScheduledToExpire == nil
    else { return }
    if mayBeSuspended {
      wait(for: .mainQueue, limit: settings.suspensionLimit) { .reachMainQueue($0) }
    } else {
      actions += unfinished.map(Action.finished)
      unfinished = []
    }
  }

  mutating func stop() {
    isStopped = true
    awakeUntil = nil
    actions.append(.suspend)
    enter(.suspended)
    switch settings.socketReclaim {
    case .never: break
    case .whenLocked: if isLocked { actions.append(.reclaimSockets) }
    case .whenSuspended: actions.append(.reclaimSockets)
    }
    updateBudget()
  }

  mutating func enter(_ next: ApplicationState) {
    state = next
    actions.append(.enter(next))
  }

  mutating func note(_ event: LifecycleRecord.Event) { actions.append(.note(event)) }
}
