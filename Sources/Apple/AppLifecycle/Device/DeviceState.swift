import Clocks

struct DeviceState {
  enum Step {
    case action(LifecycleMachine.Action)
    case add(any Suspendable)
    case remove(any Suspendable)
  }

  var machine: LifecycleMachine
  /// The application state reported last. `machine.state` is ahead of it by the actions still in `steps`.
  var reached: ApplicationState
  /// The steps to carry out, each with the time at which it was decided.
  var steps: [(time: HostTime, step: Step)] = []
  /// Whether a thread is carrying out `steps`.
  var isPerforming = false
  /// The time at which the step in progress began; nil if there is none, and during a direct call into the application.
  var stepBegan: HostTime?
  /// The number of calls into the application that have not returned. Calls that a termination has cut short
  /// count too.
  var callsInProgress = 0
  var suspendables: [any Suspendable] = []
  /// The parts created by `Device.part`, keyed by type.
  var parts: [ObjectIdentifier: any Suspendable] = [:]
  /// Whether the last call of `suspendables` about the background was `enterBackground`.
  var isInBackground = false
  var isStopped = false
  var isTerminated = false
  var keepers = KeeperTable()
  var handlers: [UIBackgroundTaskIdentifier: @Sendable () -> Void] = [:]
  var onSessionTold: (@Sendable (String) -> Void)?
  /// The sessions of which the application was notified before `onSessionTold` was set.
  var sessionsTold: [String] = []
  /// The runner of scheduler tasks; nil until the application registers a task.
  var taskRunner: (any ScheduledTaskRunner)?
  var keepAliveHandler: (@Sendable () -> Void)?
  /// The completions of events, by the event's token.
  var waiters: [UInt64: @Sendable () -> Void] = [:]
  var lastToken: UInt64 = 0
  var lastReport: TerminationReport?
  var onStateChange: (@Sendable (ApplicationState) -> Void)?
  var onRecord: (@Sendable (LifecycleRecord) -> Void)?
  /// The observer of records for a phone in another process.
  var onPhoneRecord: (@Sendable (LifecycleRecord) -> Void)?
  /// Passes the sockets to a phone in another process, which reclaims them. Returns false if it does not.
  var phoneReclaimsSockets: (@Sendable () -> Bool)?
  var onTermination: (@Sendable (TerminationReport) -> Void)?
  var application: (any ApplicationSide)?
  var worker: (any Worker)?
  /// The time at which the worker wakes up without a signal.
  var alarm = HostTime.distantFuture

  init(machine: LifecycleMachine) {
    self.machine = machine
    reached = machine.state
  }

  mutating func handle(_ event: LifecycleMachine.Event, at now: HostTime) {
    steps += machine.handle(event, at: now).map { (now, .action($0)) }
  }

  /// Removes and returns the next step. Without one, passes `settled` to the machine. If that yields no step
  /// either, clears `isPerforming` and returns nil.
  mutating func nextStep(at now: HostTime) -> (time: HostTime, step: Step)? {
    if steps.isEmpty { handle(.settled, at: now) }
    isPerforming = !steps.isEmpty
    stepBegan = isPerforming ? now : nil
    return isPerforming ? steps.removeFirst() : nil
  }

  /// The next deadline of the machine or of a keeper's grace; nil if none.
  var nextDeadline: HostTime? { [machine.nextDeadline, keepers.nextExpiry].compactMap { $0 }.min() }

  /// Sets `alarm` to the next deadline if that is earlier, and returns the worker, which must then be signalled.
  /// Returns nil if the alarm is early enough.
  mutating func workerToTell() -> (any Worker)? {
    guard let next = nextDeadline, next < alarm else { return nil }
    alarm = next
    return worker
  }
}

/// Calls the handlers of the application's scheduler tasks. The device calls the methods on the main queue.
protocol ScheduledTaskRunner: AnyObject, Sendable {
  func launch(_ task: ScheduledTask)
  func expire(_ number: UInt64)
}

/// The interface through which the device calls the application, on the main queue.
protocol ApplicationSide: AnyObject, Sendable {
  /// Makes a call other than `performFetch` and `keepAlive`.
  func receive(_ callback: LifecycleCallback)
  /// Notifies the application of a session's completed transfers. `completion` may be called on any thread.
  func handleEvents(ofSession session: String, _ completion: @escaping @Sendable () -> Void)
  /// Requests a background fetch. `completion` may be called on any thread; repeated calls of it are refused.
  func performFetch(_ completion: @escaping @Sendable (UIBackgroundFetchResult) -> Void)
}
