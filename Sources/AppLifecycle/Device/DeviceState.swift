import HostTime

/// The state that a device's lock protects.
struct DeviceState {
  /// One step of the work that is carried out in order.
  enum Step {
    case action(LifecycleMachine.Action)
    case add(any Suspendable)
    case remove(any Suspendable)
  }

  var machine: LifecycleMachine
  /// The state reported last. `machine.state` is ahead of it by the actions that are still in `steps`.
  var reached: ApplicationState
  /// The steps to carry out, each with the moment at which it was decided.
  var steps: [(time: HostTime, step: Step)] = []
  /// Whether a thread is carrying out `steps`.
  var isPerforming = false
  /// Calls into the application that have begun and not returned, those of terminated applications too.
  var callsInProgress = 0
  var suspendables: [any Suspendable] = []
  /// What `Device.part` has made, by its type.
  var parts: [ObjectIdentifier: any Suspendable] = [:]
  var isStopped = false
  var isTerminated = false
  var keepers = KeeperTable()
  var handlers: [UIBackgroundTaskIdentifier: @Sendable () -> Void] = [:]
  /// What makes transfers for the application, also when that does not run.
  weak var transferService: (any TransferService)?
  /// What calls the handlers of the scheduler's tasks.
  var taskRunner: (any ScheduledTaskRunner)?
  var keepAliveHandler: (@Sendable () -> Void)?
  var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
  var lastToken: UInt64 = 0
  var lastReport: TerminationReport?
  var onStateChange: (@Sendable (ApplicationState) -> Void)?
  var onRecord: (@Sendable (LifecycleRecord) -> Void)?
  var onTermination: (@Sendable (TerminationReport) -> Void)?
  var application: (any ApplicationSide)?
  var worker: (any Worker)?
  /// When the worker will wake up by itself.
  var alarm = HostTime.distantFuture

  init(machine: LifecycleMachine) {
    self.machine = machine
    reached = machine.state
  }

  mutating func handle(_ event: LifecycleMachine.Event, at now: HostTime) {
    steps += machine.handle(event, at: now).map { (now, .action($0)) }
  }

  /// Removes and returns the next step. When there is none, tells the machine `settled`; if nothing follows
  /// from that either, ends the performing and returns nil.
  mutating func nextStep(at now: HostTime) -> (time: HostTime, step: Step)? {
    if steps.isEmpty { handle(.settled, at: now) }
    if steps.isEmpty {
      isPerforming = false
      return nil
    }
    return steps.removeFirst()
  }

  /// The next moment at which something is due without an event.
  var nextDeadline: HostTime? {
    [machine.nextDeadline, keepers.nextExpiry].compactMap { $0 }.min()
  }

  /// The worker, if it has to be signalled because something is due earlier than its alarm.
  mutating func workerToTell() -> (any Worker)? {
    guard let next = nextDeadline, next < alarm else { return nil }
    alarm = next
    return worker
  }
}

/// Makes the transfers of background sessions. Any thread.
package protocol TransferService: AnyObject, Sendable {
  /// The application was told that transfers of this session are done.
  func applicationWasTold(of session: String)
}

/// Calls what the application has given to the task scheduler. On the main queue.
protocol ScheduledTaskRunner: AnyObject, Sendable {
  /// Begins a task.
  func launch(_ task: ScheduledTask)
  /// Tells the task with this number that its time is nearly over.
  func expire(_ number: UInt64)
}

/// The application as the device calls it, on the main queue.
protocol ApplicationSide: AnyObject, Sendable {
  /// Makes a call other than `performFetch`.
  func receive(_ callback: LifecycleCallback)
  /// Tells the application that transfers of a session are done. `completion` is called from any thread.
  func handleEvents(ofSession session: String, _ completion: @escaping @Sendable () -> Void)
  /// Asks the application to fetch. `completion` is called from any thread; later calls of it are refused.
  func performFetch(_ completion: @escaping @Sendable (UIBackgroundFetchResult) -> Void)
}
