import HostTime

/// All that a device's lock protects.
struct DeviceState {
  /// Something to be done in its turn.
  enum Step {
    case action(LifecycleMachine.Action)
    case add(any Suspendable)
    case remove(any Suspendable)
  }

  var machine: LifecycleMachine
  /// The state that was reached last; `machine.state` is ahead of it by what `steps` holds.
  var reached = ApplicationState.notRunning
  /// What is to be done, with the moment at which it was decided.
  var steps: [(time: HostTime, step: Step)] = []
  /// Whether somebody does it.
  var isPerforming = false
  /// Calls into the application that have begun and not returned, those of terminated applications too.
  var callsInProgress = 0
  var suspendables: [any Suspendable] = []
  var isStopped = false
  var isTerminated = false
  var keepers = KeeperTable()
  var handlers: [UIBackgroundTaskIdentifier: @Sendable () -> Void] = [:]
  var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
  var lastToken: UInt64 = 0
  var lastReport: TerminationReport?
  var onStateChange: (@Sendable (ApplicationState) -> Void)?
  var onRecord: (@Sendable (LifecycleRecord) -> Void)?
  var onTermination: (@Sendable (TerminationReport) -> Void)?
  var application: (any ApplicationSide)?
  var worker: (any Worker)?
  /// When the worker will look at the time.
  var alarm = HostTime.distantFuture

  init(machine: LifecycleMachine) { self.machine = machine }

  mutating func handle(_ event: LifecycleMachine.Event, at now: HostTime) {
    steps += machine.handle(event, at: now).map { (now, .action($0)) }
  }

  /// The next thing to do; nil, and the end of performing, when all is done and nothing follows from that.
  mutating func nextStep(at now: HostTime) -> (time: HostTime, step: Step)? {
    if steps.isEmpty { handle(.settled, at: now) }
    if steps.isEmpty {
      isPerforming = false
      return nil
    }
    return steps.removeFirst()
  }

  /// The next moment at which time alone does something.
  var nextDeadline: HostTime? {
    [machine.nextDeadline, keepers.nextExpiry].compactMap { $0 }.min()
  }

  /// The worker, if it has to be told of an earlier moment than it knows.
  mutating func workerToTell() -> (any Worker)? {
    guard let next = nextDeadline, next < alarm else { return nil }
    alarm = next
    return worker
  }
}

/// The application as the device calls it, on the main queue.
protocol ApplicationSide: AnyObject, Sendable {
  /// A call other than `performFetch`.
  func receive(_ callback: LifecycleCallback)
  /// Fetch, and call `completion` once, from any thread.
  func performFetch(_ completion: @escaping @Sendable (UIBackgroundFetchResult) -> Void)
}
