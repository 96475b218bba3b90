package import HostTime

/// The life cycle of one application as a value: an event goes in, what is to be done comes out, in order.
///
/// It knows nothing of threads, clocks and audio: `now` comes with every event. `Device` is its host. The order of
/// callbacks and states is that of Apple's documentation ("Managing your app's life cycle", "About the background
/// execution sequence").
///
/// A call into the application takes time. The machine waits for `Event.callReturned` before what follows it, and
/// happenings queue up meanwhile; everything else (tasks, keepers, time) is taken at once. A call that takes too long
/// ends the application.
package struct LifecycleMachine: Hashable, Sendable {
  /// Where the application is once all actions so far are done.
  package internal(set) var state = ApplicationState.notRunning
  /// The application's entitlement.
  package let modes: BackgroundModes
  /// The times it is allowed.
  package let settings: LifecycleSettings
  /// Whether the screen is locked.
  package internal(set) var isLocked = false
  /// Whether the application is suspended: `suspend` was asked for later than `resume`, and not `terminate` since. Still
  /// so during `willEnterForeground`: what stands still goes on once the state `suspended` is left.
  package internal(set) var isStopped = false
  /// Whether something interrupts, a call for example, whatever the application knows of it.
  package internal(set) var isInterrupted = false
  /// The background tasks that are open, in the order of their beginning.
  package internal(set) var tasks: [BackgroundTask] = []
  /// Why the application was terminated last; nil if never, or not as a punishment.
  package internal(set) var lastReport: TerminationReport?
  /// Whether the application may be woken for fetches.
  package internal(set) var refreshStatus = UIBackgroundRefreshStatus.available

  /// More happenings than this cannot wait while a call has not returned; one that comes then is refused. A person
  /// does not press so often in the 30 s that the longest call may take.
  package static let happeningLimit = 1000
  /// More tasks than this cannot be open; a program that forgets to end them must not grow without bound.
  package static let taskLimit = 1000

  /// Something to do before the next happening.
  enum Step: Hashable, Sendable {
    case action(Action)
    case enter(ApplicationState)
    case call(LifecycleCallback)
    case beginInterruption
    case endInterruption(shouldResume: Bool)
    case end
  }

  /// What the machine waits for.
  struct Pending: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
      case callback(LifecycleCallback)
      case expiration(BackgroundTask)
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

  /// A happening that waits for its turn.
  struct Arrival: Hashable, Sendable {
    let happening: LifecycleHappening
    let token: UInt64?
  }

  /// The latest moment seen; time never goes back.
  var now = HostTime(nanoseconds: .min)
  var agenda: [Step] = []
  var arrivals: [Arrival] = []
  /// The tokens of happenings that were taken and of which something may still follow.
  var unfinished: [UInt64] = []
  var pending: Pending?
  var lastCallID: CallID = 0
  /// What this event leads to.
  var actions: [Action] = []

  var keepsAudio = false
  /// Until when a woken application counts as playing.
  var awakeUntil: HostTime?
  var fetch: Fetch?
  var fetchInterval = Double.infinity
  var budget: BackgroundBudget
  /// Whether handlers were given the chance to run since the budget last ran.
  var hasWarned = false
  /// Whether the application is out of sight, from the call of `didEnterBackground` on.
  var isInBackground = false
  var returnsOnUnlock = false
  /// Whether the application was told that it is interrupted, and of no end. It lags behind `isInterrupted` only while
  /// the application is suspended, and without an application it is false.
  var knowsInterruption = false
  /// Whether sound may go on after the interruption that the application knows of, and of whose end it is to hear when
  /// it is resumed; nil if there is no such end.
  var missedEnd: Bool?
  var missedRefreshChange = false
  var wasTerminated = false

  /// An application that was never launched.
  package init(modes: BackgroundModes, settings: LifecycleSettings = LifecycleSettings()) {
    self.modes = modes
    self.settings = settings
    budget = BackgroundBudget(settings: settings)
  }

  /// Takes an event that comes at `moment` and returns what is to be done, in that order. An event that does not fit
  /// the state changes nothing. Time that has passed counts first: a call that returns after its limit comes too late.
  /// A moment before an earlier one counts as that.
  package mutating func handle(_ event: Event, at moment: HostTime) -> [Action] {
    now = max(now, moment)
    checkTime()
    take(event)
    if pending?.kind == .mainQueue, !mayBeSuspended { pending = nil }
    pump()
    defer { actions = [] }
    return actions
  }

  /// What the application's own code reads as its state: as Apple's does, it is in front during
  /// `didBecomeActive` already and in the background during `didEnterBackground`, and it never sees that it is
  /// suspended or not running.
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
      keepsAudio = keepers.contains(.audio) && modes.contains(.audio)
      if keepsAudio { awakeUntil = nil }
      updateBudget()
    case .taskBegan(let id, let name, let hasHandler): beginTask(id, name, hasHandler)
    case .taskEnded(let id): endTask(id)
    case .fetchCompleted(let id, let result): completeFetch(id, result)
    case .fetchIntervalChanged(let interval): fetchInterval = interval
    case .callReturned(let id): returned(id)
    case .timePassed: break
    case .settled: settle()
    }
  }

  private mutating func arrive(_ arrival: Arrival) {
    note(.happened(arrival.happening))
    guard arrivals.count < Self.happeningLimit else {
      note(.refused(.tooMuchWaits(arrival.happening)))
      if let token = arrival.token { actions.append(.finished(token: token)) }
      return
    }
    arrivals.append(arrival)
  }

  /// Does all that can be done before a call returns.
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
      } else {
        return
      }
    }
  }

  private mutating func run(_ step: Step) {
    switch step {
    case .action(let action):
      if action == .resume { isStopped = false }
      actions.append(action)
    case .enter(let next): enter(next)
    case .call(let callback): call(callback)
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
    case .willResignActive, .didEnterBackground, .willTerminate, .didReceiveMemoryWarning,
      .backgroundRefreshStatusDidChange:
      limit = settings.callLimit
    }
    note(.callBegan(callback))
    wait(for: .callback(callback), limit: limit) { .call($0, callback) }
    if callback == .didEnterBackground { isInBackground = true }
    if callback == .performFetch { fetch = Fetch(id: lastCallID, since: now) }
  }

  private mutating func wait(for kind: Pending.Kind, limit: Double, _ action: (CallID) -> Action) {
    lastCallID += 1
    pending = Pending(id: lastCallID, kind: kind, since: now, limit: limit)
    actions.append(action(lastCallID))
  }

  private mutating func returned(_ id: CallID) {
    guard let pending, pending.id == id else { return }
    self.pending = nil
    switch pending.kind {
    case .callback(let callback): note(.callEnded(callback))
    case .expiration(let task): note(.expirationEnded(task.id, name: task.name))
    case .mainQueue: if mayBeSuspended { stop() }
    }
  }

  private mutating func settle() {
    guard pending == nil, agenda.isEmpty, arrivals.isEmpty, nextToExpire == nil else { return }
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
    updateBudget()
  }

  mutating func enter(_ next: ApplicationState) {
    state = next
    actions.append(.enter(next))
  }

  mutating func note(_ event: LifecycleRecord.Event) { actions.append(.note(event)) }
}
