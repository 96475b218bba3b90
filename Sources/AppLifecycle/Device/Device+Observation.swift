import HostTime
import Synchronization

/// What can be seen. Any thread; never blocks.
extension Device {
  /// The application's background modes.
  public var modes: BackgroundModes { shared.withLock { $0.machine.modes } }

  /// The times that the application is allowed.
  public var settings: LifecycleSettings { shared.withLock { $0.machine.settings } }

  /// The state that the application has reached: the one reported last through `onStateChange`.
  public var state: ApplicationState { shared.withLock { $0.reached } }

  /// Whether the screen is locked.
  public var isLocked: Bool { shared.withLock { $0.machine.isLocked } }

  /// Whether an interruption lasts.
  public var isInterrupted: Bool { shared.withLock { $0.machine.isInterrupted } }

  /// What keeps the application running in the background (or would, if it were there).
  public var effectiveKeepers: Set<BackgroundKeeper> { shared.withLock { $0.machine.effectiveKeepers } }

  /// Why the application runs.
  public var keptRunningBy: RunningReason { shared.withLock { $0.machine.runningReason } }

  /// The background tasks that are open, in the order of their beginning.
  public var openTasks: [BackgroundTask] { shared.withLock { $0.machine.tasks } }

  /// Background time that is left, in seconds: `.greatestFiniteMagnitude` in front and while
  /// sound or a fetch keeps the application running.
  public var backgroundTimeRemaining: Double {
    shared.withLock { $0.machine.backgroundTimeRemaining(at: clock.now) }
  }

  /// Whether the application may be woken for fetches.
  public var backgroundRefreshStatus: UIBackgroundRefreshStatus {
    shared.withLock { $0.machine.refreshStatus }
  }

  /// The latest report on a termination; nil if there was none.
  public var lastTermination: TerminationReport? { shared.withLock { $0.lastReport } }

  /// Called for every change of the state, in order, on the thread that carries it out. Set it before the launch to
  /// miss nothing; it takes effect from the next change on.
  public var onStateChange: (@Sendable (ApplicationState) -> Void)? {
    get { shared.withLock { $0.onStateChange } }
    set { shared.withLock { $0.onStateChange = newValue } }
  }

  /// Called for everything that happens, in order, on the thread that carries it out; one call at a time. Must not
  /// block. Set it before the launch to miss nothing.
  public var onRecord: (@Sendable (LifecycleRecord) -> Void)? {
    get { shared.withLock { $0.onRecord } }
    set { shared.withLock { $0.onRecord = newValue } }
  }

  /// Called when the system has terminated the application as a punishment, after its end and in order with the
  /// records, on the thread that carries it out. The main queue may be blocked then.
  public var onTermination: (@Sendable (TerminationReport) -> Void)? {
    get { shared.withLock { $0.onTermination } }
    set { shared.withLock { $0.onTermination = newValue } }
  }
}

/// Why an application runs: the first of these that holds.
public enum RunningReason: String, Hashable, Sendable, CaseIterable {
  /// It is in front, or on its way there or from there.
  case foreground
  /// Sound, or the expectation of it.
  case audio
  /// A background fetch.
  case fetch
  /// A background task, while time remains.
  case task
  /// None: it is suspended, about to be, or not running.
  case none
}

extension LifecycleMachine {
  /// Why the application runs.
  package var runningReason: RunningReason {
    switch state {
    case .inactive, .active: return .foreground
    case .suspended, .notRunning: return .none
    case .background:
      let keepers = effectiveKeepers
      if keepers.contains(.audio) { return .audio }
      if keepers.contains(.fetch) { return .fetch }
      return keepers.contains(.task) ? .task : .none
    }
  }

  /// Whether that call has not returned and still matters.
  func isAwaiting(_ id: CallID) -> Bool { pending?.id == id }
}
