package import Clocks

/// The life cycle of one application as a value: takes events with their times, and returns the actions to
/// carry out, in order. `Device` is its host.
///
/// The order of callbacks and states follows Apple's documentation ("Managing your app's life cycle", "About
/// the background execution sequence").
///
/// A call into the application takes time. The machine takes the next step only after `Event.callReturned`.
/// User and system events queue during the call; all other events (tasks, keepers, time) are handled
/// immediately. A call that exceeds its limit terminates the application.
package struct LifecycleMachine: Hashable, Sendable {
  /// The application's state once all actions so far are carried out.
  package internal(set) var state: ApplicationState
  package let modes: BackgroundModes
  package let settings: LifecycleSettings
  /// Whether the screen is locked.
  package internal(set) var isLocked = false
  /// Whether the application is suspended: the latest of the actions `suspend`, `resume` and `terminate` was
  /// `suspend`. Still true during `willEnterForeground`, since `resume` follows that call.
  package internal(set) var isStopped = false
  /// Whether an interruption, such as a phone call, is in progress, even if the application was not notified.
  package internal(set) var isInterrupted = false
  /// The open background tasks, ordered by start time.
  package internal(set) var tasks: [BackgroundTask] = []
  var refreshStatus = UIBackgroundRefreshStatus.available

  /// The maximum number of user and system events queued during a call; further ones are refused. No user
  /// produces so many events during the longest call, which may take 300 s by default.
  package static let happeningLimit = 1000
  /// The maximum number of open tasks, which bounds the memory of a program that never ends them.
  package static let taskLimit = 1000

  /// A step of the reaction to a user or system event. All steps of one such event run before those of the
  /// next, unless a termination discards them.
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

  struct Pending: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
      case callback(LifecycleCallback)
      case expiration(BackgroundTask)
      /// The launch or the expiration of the scheduler task with this identifier.
      case scheduledTask(String)
      case sessionEvents(String)
      case mainQueue
    }
    let id: CallID
    let kind: Kind
    let since: HostTime
    let limit: Double
    var deadline: HostTime { since.advanced(bySeconds: limit) }
  }

  struct Fetch: Hashable, Sendable {
    let id: CallID
    let since: HostTime
  }

  struct KeepAlive: Hashable, Sendable {
    let interval: Double
    var next: HostTime
  }

  struct Arrival: Hashable, Sendable {
    let happening: LifecycleHappening
    let token: UInt64?
  }

  /// The latest time seen; never decreases.
  var now = HostTime(nanoseconds: .min)
  var agenda: [Step] = []
  var arrivals: [Arrival] = []
  /// The tokens of events whose steps have begun and whose effects are not yet complete.
  var unfinished: [UInt64] = []
  var pending: Pending?
  var lastCallID: CallID = 0
  /// The actions caused by the event being handled.
  var actions: [Action] = []

  /// The reported reasons to keep the application running that its modes allow.
  var kept: Set<BackgroundKeeper> = []
  /// The time until which an external event, such as a remote-control command, keeps the application running; nil if
  /// none does.
  var awakeUntil: HostTime?
  var awakeFor = BackgroundKeeper.audio
  /// The end of `LifecycleSettings.suspensionGrace`, within which a new task reverses the suspension; may have passed.
  /// Nil if no grace has begun since the foreground.
  var graceEnd: HostTime?
  var fetch: Fetch?
  /// The background sessions whose events the application is handling, keyed by the call that reported them.
  var sessionEvents: [CallID: SessionEvents] = [:]
  var fetchInterval = Double.infinity
  /// The start of the latest fetch; nil before the first one.
  var lastFetch: HostTime?
  var keepAlive: KeepAlive?
  /// The identifiers of tasks with a registered handler. Registrations are allowed until launch completes.
  var registeredTasks: Set<String> = []
  var mayRegisterTasks = true
  /// The pending requests, oldest first. They outlive the application.
  package internal(set) var taskRequests: [ScheduledTaskRequest] = []
  var scheduledTasks: [ScheduledTask] = []
  var lastTaskNumber: UInt64 = 0
  var budget: BackgroundBudget
  /// Whether the expiration handlers became due since the budget last started.
  var hasWarned = false
  /// Whether the application is in the background: from the call of `didEnterBackground` until just before that of
  /// `willEnterForeground`.
  var isInBackground = false
  var returnsOnUnlock = false
  /// Whether the application was notified of an interruption and not yet of its end. May differ from `isInterrupted`
  /// during suspension, while the application is not running (then false), and until pending steps have notified the
  /// application.
  var knowsInterruption = false
  /// The `shouldResume` of an interruption's end during suspension, to be reported on resumption.
  var missedEnd: Bool?
  var missedRefreshChange = false
  var wasTerminated = false
  /// Whether the application was launched at least once.
  var hasRun: Bool
  /// Whether the application has entered the state `active` at least once since its launch.
  var hasBeenActive: Bool

  /// Creates an application that was never launched; with `isActive`, one that is in the foreground.
  package init(
    modes: BackgroundModes, settings: LifecycleSettings = LifecycleSettings(), isActive: Bool = false
  ) {
    state = isActive ? .active : .notRunning
    hasRun = isActive
    hasBeenActive = isActive
    self.modes = modes
    self.settings = settings
    budget = BackgroundBudget(settings: settings)
  }

  /// Handles an event at `moment` and returns the actions to carry out, in order. Deadlines up to `moment` are
  /// handled before the event, so a call that returns exactly at its limit is too late. If `moment` is
  /// before the time of the previous event, that time counts instead.
  package mutating func handle(_ event: Event, at moment: HostTime) -> [Action] {
    now = max(now, moment)
    checkTime()
    take(event)
    if pending?.kind == .mainQueue, !mayBeSuspended { pending = nil }
    pump()
    defer { actions = [] }
    return actions
  }

  /// The state visible to the application's own code. As on Apple's systems it is `active` during
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
    case .sessionEventsIgnored(let session): ignoreSessionEvents(session)
    case .fetchCompleted(let id, let result): completeFetch(id, result)
    case .fetchIntervalChanged(let interval): fetchInterval = interval
    case .keepAliveChanged(let interval): changeKeepAlive(interval)
    case .mayHaveLeftWork: if isInBackground { graceEnd = now.advanced(bySeconds: settings.suspensionGrace) }
    case .scheduledTaskCompleted(let number, let success): completeScheduledTask(number, success)
    case .expirationHandlerChanged(let number, let hasHandler): setExpirationHandler(number, hasHandler)
    case .callReturned(let id): returned(id)
    case .timePassed: break
    case .settled: settle()
    }
  }

  mutating func arrive(_ arrival: Arrival) {
    // The record of a touch is its only effect, so it is written after the effects of earlier events.
    if case .touch = arrival.happening {} else { note(.happened(arrival.happening)) }
    if arrivals.count < Self.happeningLimit { return arrivals.append(arrival) }
    note(.refused(.tooMuchWaits(arrival.happening)))
    if let token = arrival.token { actions.append(.finished(token: token)) }
  }

  /// Runs steps, then events, then due expirations, until a call is pending or none of them is left.
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
    case .didFinishLaunching, .didBecomeActive, .willEnterForeground: limit = settings.foregroundCallLimit
    case .performFetch: limit = settings.fetchLimit
    case .keepAlive: limit = settings.voipTime
    case .willResignActive, .didEnterBackground, .willTerminate, .didReceiveMemoryWarning,
      .backgroundRefreshStatusDidChange:
      limit = settings.callLimit
    }
    note(.callBegan(callback))
    wait(for: .callback(callback), limit: limit) { .call($0, callback) }
    if callback == .didEnterBackground { isInBackground = true }
    if callback == .performFetch {
      fetch = Fetch(id: lastCallID, since: now)
      lastFetch = now
    }
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
    case .scheduledTask, .sessionEvents: break
    case .mainQueue: if mayBeSuspended { stop() }
    }
  }

  private mutating func settle() {
    guard pending == nil, agenda.isEmpty, arrivals.isEmpty, nextToExpire == nil, nextScheduledToExpire == nil
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
    if next == .active { hasBeenActive = true }
    actions.append(.enter(next))
  }

  mutating func note(_ event: LifecycleRecord.Event) { actions.append(.note(event)) }
}
